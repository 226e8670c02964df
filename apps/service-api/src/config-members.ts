import { readFile } from 'node:fs/promises';
import { UsageError } from './client-error.ts';
import type { Connection } from './connection.ts';
import { codeOf } from './failure-reason.ts';

export type Members = Readonly<Record<string, unknown>>;

function isObject(value: unknown): value is Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function parseObject(text: string): Members | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Reads the members of a configuration file; none when it does not exist. */
export async function readMembers(path: string): Promise<Members> {
  const text = await readFile(path, 'utf8').catch((error: unknown) => {
    if (codeOf(error) === 'ENOENT') return '{}';
    throw new UsageError(`Could not read configuration file ${path}: ${codeOf(error)}`);
  });
  const members = parseObject(text);
  if (!members) throw new UsageError(`Configuration file ${path} is not a JSON object`);
  return members;
}

/** Returns the profiles of a configuration file by name. */
export function profilesOf({ profiles }: Members): ReadonlyMap<string, Members> {
  if (!isObject(profiles)) return new Map();
  return new Map(Object.entries(profiles).flatMap(([name, one]) => (isObject(one) ? [[name, one] as const] : [])));
}

/** Returns host and key, as far as they are texts; other members are ignored. */
export function connectionIn({ apikey, apihost }: Members): Partial<Connection> {
  return {
    ...(typeof apikey === 'string' ? { apikey } : {}),
    ...(typeof apihost === 'string' ? { apihost } : {}),
  };
}
