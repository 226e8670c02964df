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

/** The environment has wrong settings; the message names every wrong variable, never a value. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
}

function readOne(name: string, { schema, default: fallback }: Setting<unknown>, sent: string | undefined) {
  const value = sent === undefined || sent === '' ? fallback : sent;
  if (value === null) return { problem: `${name} must be set` };
  // valibot's own messages quote the value, which may be a secret.
  const parsed = v.safeParse(schema, value, { message: 'has a value that cannot be used' });
  return parsed.success ? { value: parsed.output } : { problem: `${name} ${parsed.issues[0].message}` };
}

/** Reads the settings of a program from its environment; throws ConfigError. */
export function readConfig<S extends Settings>(settings: S, env: NodeJS.ProcessEnv): ConfigOf<S>;
export function readConfig(settings: Settings, env: NodeJS.ProcessEnv): Record<string, unknown> {
  const read = Object.entries(settings).map(([name, one]) => [name, readOne(name, one, env[name])] as const);
  const problems = read.flatMap(([, { problem }]) => (problem === undefined ? [] : [problem]));
  if (problems.length > 0) throw new ConfigError(problems.join('; '));
  return Object.fromEntries(read.map(([name, { value }]) => [name, value]));
}
