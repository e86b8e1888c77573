// SPDX-License-Identifier: Apache-2.0
// A flame graph: a button for each part, as wide as its share of what is around it.
import {hueOf} from '../colors';
import {time} from '../data/format';

export interface FlameNode {
  key: string | number;
  name: string;
  title: string;
  hue: string; // names with the same text have the same colour
  dull?: boolean;
  value: number;
  children: () => FlameNode[];
}

// Parts that are narrower than this share of the graph are left out: they have no width to show. So
// are the narrowest of very many: a browser takes a second for ten thousand.
const LEAST_SHARE = 0.001;
const MOST_PARTS = 3000;

// The least value that is shown. What is inside of a part is never wider than the part.
export function leastShown(nodes: FlameNode[], total: number, mostParts = MOST_PARTS): number {
  const values: number[] = [];
  const open = [...nodes];
  for (let at = open.pop(); at !== undefined; at = open.pop()) {
    if (at.value <= 0 || at.value < total * LEAST_SHARE) continue;
    values.push(at.value);
    open.push(...at.children());
  }
  return values.length <= mostParts ? total * LEAST_SHARE : values.sort((a, b) => b - a)[mostParts - 1];
}

interface Props {
  nodes: FlameNode[];
  total: number;
  most: number; // levels
  chosen: (node: FlameNode) => boolean;
  choose: (node: FlameNode) => void;
}

function Level({nodes, total, least, most, chosen, choose}: Props & {least: number}) {
  const shown = nodes.filter(({value}) => value > 0 && value >= least).sort((a, b) => b.value - a.value);
  if (shown.length === 0 || most === 0) return null;
  return (
    <div class="flames">
      {shown.map((node) => (
        <div class="flame" key={node.key} style={{width: `${Math.min(node.value / total, 1) * 100}%`}}>
          <button class={(chosen(node) ? 'chosen ' : '') + (node.dull ? 'dull' : '')} style={{'--hue': String(Math.round(hueOf(node.hue)))} as Record<string, string>}
            title={`${node.title}: ${time(node.value)}`} onClick={() => choose(node)}>
            {node.name} <span>{time(node.value)}</span>
          </button>
          <Level nodes={node.children()} total={node.value} least={least} most={most - 1} chosen={chosen} choose={choose} />
        </div>
      ))}
    </div>
  );
}

export function Flame(props: Props) {
  return <div class="flame-root"><Level {...props} least={leastShown(props.nodes, props.total)} /></div>;
}
