import * as v from 'valibot';
import type { ConfigOf, Setting, Settings } from './setting.ts';

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
