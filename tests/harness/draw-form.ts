import { drawPlain } from './draw-plain.ts';
import type { Hostility } from './hostile-values.ts';
import type { formsOf } from './page-forms.ts';
import type { Random } from './random.ts';

type Form = ReturnType<typeof formsOf>[number];

interface FormTools {
  readonly random: Random;
  readonly hostile: Hostility;
}

/** What a browser would send of this form: half the time with one hostile value at most, else with several. */
export function drawForm({ fields }: Form, { random, hostile }: FormTools): string {
  const isMild = random.below(2) === 0;
  const broken = random.below(2 * fields.length);
  const sent = fields.flatMap(({ name, values, isHidden }, at): [string, string][] => {
    const isHostile = isMild ? at === broken : random.below(name === 'csrf_token' ? 20 : 3) === 0;
    if (!isMild && random.below(8) === 0 && !isHidden) return [];
    const plain = drawPlain('', name, random);
    const right = random.pick(values) || (typeof plain === 'string' ? plain : '1');
    return [[name, isHostile ? hostile.text() : right]];
  });
  const extra: [string, string][] = random.below(20) === 0 ? [[hostile.text(), hostile.text()]] : [];
  return new URLSearchParams([...sent, ...extra]).toString();
}
