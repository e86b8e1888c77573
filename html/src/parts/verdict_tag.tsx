// SPDX-License-Identifier: Apache-2.0
// The verdict on one quantity of a comparison, as a word with a colour.
import type {Verdict} from '../data/comparison';

export function VerdictTag({verdict}: {verdict: Verdict}) {
  return <span class={`change ${verdict.replace(' ', '-')}`}>{verdict}</span>;
}
