import * as v from 'valibot';
import { text } from './text.ts';

/**
 * A revision as the client sends it; null is the tip. The worker parses it and reports text that it cannot parse as an
 * unknown revision.
 */
export const revision: v.GenericSchema<unknown, string | number | null> = v.pipe(
  v.unknown(),
  // The check gives one clear message; the union only narrows the type.
  v.rawCheck(({ dataset, addIssue }) => {
    if (!dataset.typed || dataset.value === null) return;
    if (typeof dataset.value === 'number' && Number.isInteger(dataset.value)) return;
    if (typeof dataset.value !== 'string') return addIssue({ message: 'must be a string or an integer' });
    const checked = v.safeParse(text(1_000), dataset.value);
    if (!checked.success) addIssue({ message: checked.issues[0].message });
  }),
  v.union([v.string(), v.number(), v.null()]),
);
