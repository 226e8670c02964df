import fc from 'fast-check';
import type { Hostility } from './hostile-values.ts';
import type { formsOf } from './page-forms.ts';
import { plainValues } from './sample-plain.ts';

type Form = ReturnType<typeof formsOf>[number];

/** Sampled values to fill any form with. */
export interface Filling {
  /** Index of the one hostile field, modulo twice the number of fields; no field is hostile in the second half. */
  readonly broken: number;
  /** Fate of each field when several may be hostile; null when `broken` decides. */
  readonly wild: readonly ('right' | 'hostile' | 'missing')[] | null;
  /** Index of the value chosen for each field, modulo the number of its values. */
  readonly choices: readonly number[];
  readonly texts: readonly [string, ...string[]];
  readonly extra: [string, string] | null;
}

export function sampleFilling({ text }: Hostility): fc.Arbitrary<Filling> {
  const fate = fc.oneof(
    { weight: 12, arbitrary: fc.constant('right' as const) },
    { weight: 9, arbitrary: fc.constant('hostile' as const) },
    { weight: 3, arbitrary: fc.constant('missing' as const) },
  );
  const several = { minLength: 12, maxLength: 12 };
  return fc.record({
    broken: fc.noBias(fc.nat(11)),
    wild: fc.option(fc.array(fate, several), { freq: 1 }),
    choices: fc.array(fc.noBias(fc.nat(100)), several),
    texts: fc.tuple(text, text, text),
    extra: fc.oneof({ weight: 19, arbitrary: fc.constant(null) }, { weight: 1, arbitrary: fc.tuple(text, text) }),
  });
}

/** Returns the body, URL-encoded, that a browser would send for this form. */
export function fillForm({ fields }: Form, { broken, wild, choices, texts, extra }: Filling): string {
  const choose = <T>(list: readonly [T, ...T[]], at: number): T =>
    list[(choices[at % choices.length] ?? 0) % list.length] ?? list[0];
  const isHostile = (name: string, at: number) => {
    if (wild === null) return at === broken % (2 * fields.length);
    // Without the CSRF token of the session no form is accepted.
    return wild[at % wild.length] === 'hostile' && (name !== 'csrf_token' || broken === 0);
  };
  const sent = fields.flatMap(({ name, values, isHidden }, at): [string, string][] => {
    if (wild?.[at % wild.length] === 'missing' && !isHidden) return [];
    const plain = choose(plainValues('', name), at);
    const right = choose(values, at) || (typeof plain === 'string' ? plain : '1');
    return [[name, isHostile(name, at) ? choose(texts, at) : right]];
  });
  return new URLSearchParams(extra ? [...sent, extra] : sent).toString();
}
