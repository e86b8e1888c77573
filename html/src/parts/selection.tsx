// SPDX-License-Identifier: Apache-2.0
// From a selection to the views that it filters.
import {go} from '../place';
import {type Selection, selection} from '../state';

export function SelectionButtons({kinds}: {kinds: NonNullable<Selection>['kind'][]}) {
  const chosen = selection.value;
  if (chosen === null || !kinds.includes(chosen.kind)) return null;
  return (
    <>
      <span class="spacer" />
      <button onClick={() => go('kernels')}>Its kernels</button>
      <button onClick={() => go('timeline')}>On the timeline</button>
    </>
  );
}
