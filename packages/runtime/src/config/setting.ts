import * as v from 'valibot';

/** One environment variable: its schema, default and description. */
export interface Setting<T> {
  readonly schema: v.GenericSchema<string, T>;
  /** Default as an operator would write it; null when the variable must be set. */
  readonly default: string | null;
  readonly description: string;
}

export type Settings = Readonly<Record<string, Setting<unknown>>>;

export type ConfigOf<S extends Settings> = {
  readonly [K in keyof S]: S[K] extends Setting<infer T> ? T : never;
};

export function setting<T>(
  schema: v.GenericSchema<string, T>,
  options: { default: string | null; description: string },
): Setting<T> {
  return { schema, ...options };
}

export const textValue = v.pipe(v.string(), v.minLength(1, 'must not be empty'));

/** Text; empty means "not set" and is read as null. */
export const optionalTextValue = v.pipe(
  v.string(),
  v.transform((value) => (value === '' ? null : value)),
);

export function integerValue(min: number, max: number) {
  return v.pipe(
    v.string(),
    v.regex(/^\d{1,15}$/, 'must be a whole number'),
    v.transform(Number),
    v.minValue(min, `must be at least ${min}`),
    v.maxValue(max, `must be at most ${max}`),
  );
}

export const flagValue = v.pipe(
  v.string(),
  v.picklist(['true', 'false'], 'must be true or false'),
  v.transform((value) => value === 'true'),
);

/** Words separated by commas; empty means none. */
export const listValue = v.pipe(
  v.string(),
  v.transform((value): readonly string[] =>
    value
      .split(',')
      .map((word) => word.trim())
      .filter((word) => word !== ''),
  ),
);

const notWords = 'must be a JSON list of words';

/** A command as a JSON list of its words. */
export const commandValue = v.pipe(
  v.string(),
  v.rawTransform(({ dataset, addIssue, NEVER }): unknown => {
    try {
      return JSON.parse(dataset.value);
    } catch {
      addIssue({ message: notWords });
      return NEVER;
    }
  }),
  v.tupleWithRest([v.string(notWords)], v.string(notWords), notWords),
);
