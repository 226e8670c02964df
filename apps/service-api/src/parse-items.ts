import { UsageError } from './client-error.ts';
import type { Sources } from './sources.ts';

/** One argument of a call: its value, or the source of its value. */
export interface Item {
  readonly name: string;
  readonly value: string;
  readonly isSource: boolean;
}

const fromSource = /^([^:=]+)=(@.+|-)$/s;

/**
 * Parses `name:value` words, split at the first colon, and `name=@FILE` and `name=-`, whose values are elsewhere. A value
 * after a colon is always meant literally, since scripts of older clients send values such as `@all` and `-`.
 */
export function parseItems(items: readonly string[]): readonly Item[] {
  return items.map((item) => {
    const [, name, source] = fromSource.exec(item) ?? [];
    if (name !== undefined && source !== undefined) return { name, value: source, isSource: true };
    const colon = item.indexOf(':');
    if (colon === -1) throw new UsageError('Error parsing arguments');
    return { name: item.slice(0, colon), value: item.slice(colon + 1), isSource: false };
  });
}

/** Returns the arguments to send, all of them strings; the last value of a name counts. */
export async function readItems(items: readonly Item[], sources: Sources): Promise<Readonly<Record<string, string>>> {
  const entries: (readonly [string, string])[] = [];
  for (const { name, value, isSource } of items) {
    entries.push([name, isSource ? await sources.read(value, JSON.stringify(name)) : value]);
  }
  return Object.fromEntries(entries);
}
