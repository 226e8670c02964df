import { UsageError } from './client-error.ts';

/** Parses `name:value` words, split at the first colon; values stay strings, and the last value of a name counts. */
export function parseItems(items: readonly string[]): Readonly<Record<string, string>> {
  const entries = items.map((item) => {
    const colon = item.indexOf(':');
    if (colon === -1) throw new UsageError('Error parsing arguments');
    return [item.slice(0, colon), item.slice(colon + 1)] as const;
  });
  return Object.fromEntries(entries);
}
