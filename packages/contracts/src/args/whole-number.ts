import * as v from 'valibot';

/** Returns the schema of an integer in a range, also as digits, because command-line clients can send only strings. */
export function wholeNumber(min: number, max: number): v.GenericSchema<unknown, number> {
  const message = `must be a whole number from ${min} to ${max}`;
  return v.pipe(
    v.unknown(),
    v.transform((value) => (typeof value === 'string' && /^-?[0-9]{1,15}$/.test(value) ? Number(value) : value)),
    v.number(message),
    v.check((value) => Number.isInteger(value) && value >= min && value <= max, message),
  );
}
