import type { Database } from '@trunkline/db';
import type postgres from 'postgres';
import { listAudit } from '../../apps/vcs-worker/src/domain/audit/audit-list-store.ts';
import { accessQuery } from '../../apps/vcs-worker/src/authz/access-query.ts';
import { listDeleted } from '../../apps/vcs-worker/src/jobs/deleted/deleted-list-store.ts';
import { isUnchanged } from '../../apps/vcs-worker/src/cache/unchanged-store.ts';
import { inSnapshot } from '../../apps/vcs-worker/src/methods/read-list.ts';
import { listOperations } from '../../apps/vcs-worker/src/jobs/operations/operation-list-store.ts';
import { listLocked } from '../../apps/vcs-worker/src/domain/repo/repository-lock-store.ts';
import type { IdPage } from '../../apps/vcs-worker/src/domain/repo/readable-page-store.ts';
import { listReadable } from '../../apps/vcs-worker/src/domain/repo/readable-repositories-store.ts';
import { countForks, listListed } from '../../apps/vcs-worker/src/domain/repo/repository-list-store.ts';
import { findStranded } from '../../apps/vcs-worker/src/jobs/runners/end-without-storage.ts';
import { userWithCaller } from '../../apps/vcs-worker/src/domain/user/user-with-caller.ts';
import { explain, type Cost } from '../harness/explain.ts';
import { byForm } from '../harness/long-form.ts';

export const planCacheModes = ['force_custom_plan', 'force_generic_plan'] as const;

/**
 * Reads a page and its cost: that of the costlier plan of these modes. Postgres takes the plan for any limit of lists in
 * order of name only where it seems no costlier than one for the limit at hand, which it does not.
 */
export async function costOfRead(
  db: Database,
  url: string,
  read: () => Promise<readonly unknown[]>,
  modes: readonly string[] = planCacheModes,
): Promise<{ count: number; cost: Omit<Cost, 'indexes'> }> {
  const costs: Cost[] = [];
  let count = 0;
  for (const mode of modes) {
    costs.push(await explain(db, url, mode, async () => (count = (await read()).length)));
  }
  const scanned = costs.flatMap((one) => one.scanned);
  return { count, cost: { rows: Math.max(...costs.map(({ rows }) => rows)), scanned } };
}

/** Tables that have as many rows as there are repositories, or more. */
export const longTables = [
  'names',
  'repositories',
  'user_repository_permissions',
  'user_group_repository_permissions',
  'operations',
  'audit_log',
  'deleted_repositories',
];

type Reads = Readonly<Record<string, () => Promise<readonly unknown[]>>>;

export async function userIdOf(sql: postgres.Sql, username: string): Promise<number> {
  const [row] = await sql`select id from users where username = ${username}`;
  return Number(row?.['id']);
}

/** More than all repositories of these tests have. */
const charsMax = 2 ** 30;

export const readableOf = async (db: Database, userId: number, page: IdPage) =>
  (await listReadable(db, userId, page, charsMax)).rows;

export const lockedOf = (db: Database, userId: number, holderId: number | null, page: IdPage) =>
  inSnapshot(db, (tx) => listLocked(tx, userId, holderId, page));

/** Names and levels in the permissions that a user is shown; those of level none only of others, for an administrator. */
export async function shownPermissions(
  db: Database,
  userId: number,
  callerId: number,
): Promise<Record<string, string>> {
  const caller = { userId: callerId, keyId: null, sessionId: null, passwordFingerprint: null };
  const [row] = await userWithCaller(db).execute({ ...caller, targetId: userId, targetName: null });
  return JSON.parse(row?.shown?.repositories ?? 'null');
}

/** Returns what each list reads from rows, for a page; `ofGuest` is for while a user may read few of the repositories. */
export async function readsOfLists(
  db: Database,
  sql: postgres.Sql,
  limit: number,
): Promise<{ readonly ofAll: Reads; readonly ofGuest: Reads }> {
  const [admin, reader, guest] = [
    await userIdOf(sql, 'admin'),
    await userIdOf(sql, 'reader'),
    await userIdOf(sql, 'guest'),
  ];
  const operations = await sql<{ id: string }[]>`select id from operations limit ${limit}`;
  const page = { limit, cursor: null };
  // In order of name, repositories that are hidden from a user are passed over one by one: the first half of all are.
  const afterHidden = { limit, cursor: byForm(null, 'r5') };
  const deleted = { trashDays: 7, limit };
  const topLevel = { groupId: null };
  const everything = {
    ...page,
    state: null,
    actorId: null,
    method: null,
    outcome: null,
    from: null,
    until: null,
  };
  const ofAll: Reads = {
    'get_repos of an administrator': () => readableOf(db, admin, page),
    'get_repos of a user': () => readableOf(db, reader, page),
    'browse_repositories of an administrator': () => listListed(db, admin, topLevel, page),
    'browse_repositories, deep in the list': () => listListed(db, admin, topLevel, { limit, cursor: 'r4' }),
    'browse_repositories of a user': () => listListed(db, reader, topLevel, afterHidden),
    'browse_repositories, those that an administrator owns': () => listListed(db, admin, { owned: true }, page),
    'list_forks of an administrator': () => listListed(db, admin, { forkOfId: 1 }, page),
    'list_forks of a user': () => listListed(db, reader, { forkOfId: 1 }, afterHidden),
    'forks that view_repository counts for a user': async () => [await countForks(db, reader, 1)],
    'get_locks of an administrator': () => lockedOf(db, admin, null, page),
    get_deleted_repos: () => listDeleted(db, { ...deleted, cursor: null }),
    'get_deleted_repos, deep in the list': () => listDeleted(db, { ...deleted, cursor: 1_000_045 }),
    list_stranded_operations: () =>
      findStranded(
        db,
        operations.map(({ id }) => id),
      ),
    list_operations: () => listOperations(db, { id: admin, admin: true }, everything),
    get_audit_log: () => listAudit(db, everything),
    'what get_changesets reads from rows': async () => {
      const caller = { userId: reader, keyId: null, sessionId: null, passwordFingerprint: null };
      const named = { repositoryId: null, repositoryName: 'r99' };
      const [row] = await accessQuery(db).execute({ ...caller, ...named });
      return [row, await isUnchanged(db, { id: row?.repository?.id ?? 0, generation: 0 })];
    },
  };
  const ofGuest: Reads = {
    'get_repos of a user who may read few': () => readableOf(db, guest, page),
    'browse_repositories of a user who may read few': () => listListed(db, guest, topLevel, page),
    'permissions of get_user, who may read few': async () => Object.keys(await shownPermissions(db, guest, guest)),
  };
  return { ofAll, ofGuest };
}
