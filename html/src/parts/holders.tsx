// SPDX-License-Identifier: Apache-2.0
// Who holds memory, by bytes, as bars.
import {colorOf} from '../colors';
import {bytes, count, counted, percent} from '../data/format';
import type {Named} from '../data/memory_text';
import {Meter} from './bar';

const MOST_HOLDERS = 12;

// `kind`: what holds it.
export function Holders({holders, total, kind}: {holders: Named[]; total: number; kind: string}) {
  const rest = holders.slice(MOST_HOLDERS);
  return (
    <>
      <ul class="bars holders">
        {holders.slice(0, MOST_HOLDERS).map(({name, bytes: held, blocks}) => (
          <li title={counted(blocks, 'block')}><span>{name}</span><Meter share={held / Math.max(total, 1)} color={colorOf('busy')} label={`${name}: ${bytes(held)} in ${counted(blocks, 'block')}`} /><span class="number">{bytes(held)} <small class="muted">{percent(held / Math.max(total, 1))}</small></span></li>
        ))}
      </ul>
      {rest.length > 0 && <p class="muted">{rest.length === 1 ? `1 more ${kind} holds` : `${count(rest.length)} more ${kind}s hold`} {bytes(rest.reduce((sum, one) => sum + one.bytes, 0))}.</p>}
    </>
  );
}
