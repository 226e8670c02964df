import { createHash } from 'node:crypto';
import {
  importedObjects,
  repoGroups,
  repositories,
  userEmails,
  userGroups,
  users,
  type Database,
  type Db,
} from '@trunkline/db';
import { eq, sql } from 'drizzle-orm';
import { importedKey, type Here, type ImportedKind, type ImportedObject } from '../plan/here.ts';

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
  const known = rows.filter(({ kind, objectId }) => there[kind](objectId));
  const toEntry = ({ kind, sourceId, objectId, parts }: (typeof rows)[number]) =>
    [importedKey(kind, sourceId), { objectId, parts }] as const;
  return { ...here, imported: new Map<string, ImportedObject>(known.map(toEntry)) };
}

/** Returns a digest of each part; functions of a password that can be guessed are left to the caller. */
export function digestParts(parts: Readonly<Record<string, unknown>>): Record<string, string> {
  const digest = (value: unknown) => createHash('sha256').update(JSON.stringify(value)).digest('base64url');
  return Object.fromEntries(Object.entries(parts).map(([name, value]) => [name, digest(value)]));
}

interface Imported {
  readonly source: string;
  readonly kind: ImportedKind;
  readonly sourceId: number;
  readonly objectId: number;
  readonly parts: Readonly<Record<string, string>>;
}

/** Records in its transaction what was brought. */
export async function recordImported(tx: Db, { objectId, parts, ...key }: Imported): Promise<void> {
  await tx
    .insert(importedObjects)
    .values({ ...key, objectId, parts })
    .onConflictDoUpdate({
      target: [importedObjects.source, importedObjects.kind, importedObjects.sourceId],
      set: { objectId: sql`excluded.object_id`, parts: sql`excluded.parts` },
    });
}

/** Returns which parts of an object have changed in the source; all of them for one that is new. */
export function changedParts(before: ImportedObject | undefined, parts: Readonly<Record<string, string>>): Set<string> {
  return new Set(Object.keys(parts).filter((name) => before?.parts[name] !== parts[name]));
}
