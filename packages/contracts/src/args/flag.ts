import * as v from 'valibot';

const words = new Map([
  ...['true', 't', 'yes', 'y', 'on', '1'].map((word) => [word, true] as const),
  ...['false', 'f', 'no', 'n', 'off', '0'].map((word) => [word, false] as const),
]);

/** A JSON boolean or, because command-line clients can send only strings, a word such as `yes` or `off`. */
export const flag = v.pipe(
  v.unknown(),
  v.transform((value) => (typeof value === 'string' ? words.get(value.trim().toLowerCase()) : value)),
  v.boolean('must be a boolean'),
);
