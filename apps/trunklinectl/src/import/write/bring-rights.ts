import { isDeepStrictEqual } from 'node:util';
import type { Transaction } from '@trunkline/db';
import { listNames } from '../plan/finding.ts';
import { holderOf, type Rights, withPairs } from './rights.ts';
import type { Writing } from './writing.ts';
import { readGroupsOf, readRights, type RightsOn, writeRights } from './level-tables.ts';
import type { Pairs } from './merge.ts';
import { mergeRights, type SourceRights } from './merge-rights.ts';

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

const noRights: Rights = { ownerId: 0, isPrivate: false, users: new Map(), userGroups: new Map() };

/** Writes the rights on an object that has none yet. */
export async function writeNewRights(
  writing: Writing,
  tx: Transaction,
  on: RightsOn,
  { pairs }: SourceRights,
): Promise<void> {
  await writeRights(tx, on, noRights, withPairs(writing, noRights, Object.entries(pairs)));
}

interface LockedRow {
  readonly ownerId: number;
  readonly isPrivate?: boolean;
}

interface BroughtRights {
  /** Owner and privacy that are to be written; null where nothing has changed. */
  readonly changed: Pick<Rights, 'ownerId' | 'isPrivate'> | null;
  /** What stays as it is here, for the report. */
  readonly kept: readonly string[];
  readonly pairs: Pairs;
}

/** Brings the rights on one object that have changed in the source since the last import; `lockRow` locks its row. */
export async function bringRights(
  writing: Writing,
  tx: Transaction,
  { about, ...on }: RightsOn & { readonly about: string },
  { before, source }: { readonly before: Pairs | undefined; readonly source: SourceRights },
  lockRow: () => Promise<LockedRow | undefined>,
): Promise<BroughtRights> {
  if (before && isDeepStrictEqual(before, source.pairs)) return { changed: null, kept: [], pairs: before };
  const row = await lockRow();
  if (!row) return { changed: null, kept: [], pairs: before ?? source.pairs };
  const here = await readRights(tx, on, row);
  const ofSource = Object.keys(source.pairs).filter((key) => key.startsWith('group '));
  const groupIds = new Set([...here.userGroups.keys(), ...ofSource.flatMap((key) => holderOf(writing, key) ?? [])]);
  const groupsOf = await readGroupsOf(tx, [...groupIds]);
  const { after, isChanged, kept, held, pairs } = mergeRights(writing, before, source, here, groupsOf);
  if (isChanged) await writeRights(tx, on, here, after);
  if (held.length > 0) {
    const names = listNames(held.map((id) => writing.here.usernames.get(id) ?? String(id)));
    const what = `rights were changed here and in the source; so that nobody gets more than in either, users get a row: ${names}`;
    writing.findings.push({ kind: 'rights', about, what });
  }
  return { changed: isChanged ? after : null, kept: describeKept(writing, 'rights', kept), pairs };
}
