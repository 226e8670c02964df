import { UsageError } from './client-error.ts';

/** The `name:value` words of a call: the first colon divides, values stay strings, the last of a name wins. */
export function parseItems(items: readonly string[]): Readonly<Record<string, string>> {
  const entries = items.map((item) => {
    const colon = item.indexOf(':');
    if (colon === -1) throw new UsageError('Error parsing arguments');
    return [item.slice(0, colon), item.slice(colon + 1)] as const;
  });
  return Object.fromEntries(entries);
}
