import { listNames } from '../plan/tell-rights.ts';
import { holderOf } from './rights.ts';
import type { Writing } from './writing.ts';

const words: Readonly<Record<string, string>> = { owner: 'the owner', private: 'privacy', everybody: '`default`' };

/** Names the holders of pairs that stay as they are here. */
export function describeKept(writing: Writing, what: string, keys: readonly string[]): string[] {
  if (keys.length === 0) return [];
  const { usernames, userGroups } = writing.here;
  const nameOf = (key: string) =>
    (key.startsWith('user ') ? usernames : userGroups).get(holderOf(writing, key) ?? 0) ?? key;
  const common = keys.flatMap((key) => words[key] ?? []);
  const named = keys.filter((key) => !(key in words)).map(nameOf);
  return [`${what} of ${[...common, ...(named.length > 0 ? [listNames(named.toSorted())] : [])].join(', ')}`];
}
