import { isDeepStrictEqual } from 'node:util';
import {
  importedObjects,
  operations,
  repoGroups,
  repositories,
  userEmails,
  userGroups,
  users,
  type Database,
  type Db,
  type ImportedParts,
} from '@trunkline/db';
import { eq, sql } from 'drizzle-orm';
import { importedKey, type Here, type ImportedKind, type ImportedObject } from '../plan/here.ts';
import { nothingBrought } from './writing.ts';

/** Returns the parts of a row; null for one of an earlier build, which has digests of values alone. */
function toParts(stored: ImportedParts | Readonly<Record<string, string>>): ImportedParts | null {
  const { digests, lists } = stored;
  return typeof digests === 'object' && typeof lists === 'object' ? { ...stored, digests, lists } : null;
}

const bytesOf = ({ bytes }: ImportedParts | Readonly<Record<string, string>>) =>
  typeof bytes === 'string' ? { bytes } : {};

/** Returns what the last import brought of a list; where that is not known, what the source has by now. */
export function formerList({ parts }: ImportedObject, name: string, now: readonly string[]): readonly string[] {
  return parts.lists[name] ?? now;
}

/** Reads what an import has to know of this instance. */
export async function loadHere(db: Database, source: string): Promise<Here> {
  const named = async (table: typeof userGroups | typeof repoGroups | typeof repositories) =>
    new Map((await db.select({ id: table.id, name: table.name }).from(table)).map(({ id, name }) => [id, name]));
  const people = await db.select({ id: users.id, username: users.username }).from(users);
  const emails = await db.select({ userId: userEmails.userId, emailKey: userEmails.emailKey }).from(userEmails);
  const here = {
    usernames: new Map(people.map(({ id, username }) => [id, username])),
    userGroups: await named(userGroups),
    repoGroups: await named(repoGroups),
    repositories: await named(repositories),
    emails: new Map(emails.map(({ userId, emailKey }) => [emailKey, userId])),
  };
  const there: Record<ImportedKind, (id: number) => boolean> = {
    user: (id) => here.usernames.has(id),
    user_group: (id) => here.userGroups.has(id),
    repo_group: (id) => here.repoGroups.has(id),
    repository: (id) => here.repositories.has(id),
    settings: () => true,
  };
  const rows = await db.select().from(importedObjects).where(eq(importedObjects.source, source));
  const imported = new Map<string, ImportedObject>();
  const deleted = new Set<string>();
  let former = 0;
  for (const { kind, sourceId, objectId, parts: stored } of rows) {
    const known = toParts(stored);
    const parts = known ?? { ...nothingBrought, ...bytesOf(stored) };
    const key = importedKey(kind, sourceId);
    if (!known) former += 1;
    if (there[kind](objectId)) imported.set(key, { objectId, parts });
    // A repository whose bytes never came was not deleted by anybody: it is imported anew.
    else if (kind !== 'repository' || parts.bytes !== undefined) deleted.add(key);
  }
  return { ...here, imported, deleted, hasFormerRows: former > 0, isShared: await hasOthers(db, here, imported) };
}

/** Returns whether the instance has more than what an import has brought and its administrators. */
async function hasOthers(
  db: Database,
  { userGroups, repoGroups: groups, repositories: repos }: Pick<Here, 'userGroups' | 'repoGroups' | 'repositories'>,
  imported: ReadonlyMap<string, ImportedObject>,
): Promise<boolean> {
  const known = (kind: ImportedKind) => {
    const ofKind = [...imported].filter(([key]) => key.startsWith(`${kind} `));
    return new Set(ofKind.map(([, { objectId }]) => objectId));
  };
  const lacks = (ids: Iterable<number>, kind: ImportedKind) => {
    const brought = known(kind);
    return [...ids].some((id) => !brought.has(id));
  };
  const isUser = sql`not ${users.admin} and ${users.usernameKey} <> 'default'`;
  const people = await db.select({ id: users.id }).from(users).where(isUser);
  const ids = people.map(({ id }) => id);
  const hasGroups = lacks(userGroups.keys(), 'user_group') || lacks(groups.keys(), 'repo_group');
  return lacks(ids, 'user') || hasGroups || lacks(repos.keys(), 'repository');
}

interface Imported {
  readonly source: string;
  readonly kind: ImportedKind;
  readonly sourceId: number;
  readonly objectId: number;
  readonly parts: ImportedParts;
}

/** Records in its transaction what was brought, if it is not what an import before has recorded. */
export async function recordImported(
  tx: Db,
  { objectId, parts, ...key }: Imported,
  before?: ImportedObject,
): Promise<void> {
  if (before?.objectId === objectId && isDeepStrictEqual(before.parts, parts)) return;
  await tx
    .insert(importedObjects)
    .values({ ...key, objectId, parts })
    .onConflictDoUpdate({
      target: [importedObjects.source, importedObjects.kind, importedObjects.sourceId],
      set: { objectId: sql`excluded.object_id`, parts: sql`excluded.parts` },
    });
}

/** Keeps the fingerprints of bytes that workers have made repositories, and forgets those of what they refused. */
export async function settleArrivals(db: Database, source: string): Promise<void> {
  const { parts } = importedObjects;
  const arrived = sql`case when ${operations.state} = 'done'
    then jsonb_build_object('bytes', ${parts} #> '{arriving,bytes}') else '{}'::jsonb end`;
  await db
    .update(importedObjects)
    .set({ parts: sql`(${parts} - 'arriving') || ${arrived}` })
    .from(operations)
    .where(
      sql`${importedObjects.source} = ${source} and ${importedObjects.kind} = 'repository'
        and ${operations.id} = (${parts} #>> '{arriving,operationId}')::uuid and ${operations.state} <> 'running'`,
    );
}
