import { names, operations, repositories, storages, type Db } from '@trunkline/db';
import { and, eq, ne, or, sql } from 'drizzle-orm';
import { findingsMax } from './finding.ts';

/**
 * Limit of the rows of each list, one more than a report shows. A list is one statement, whose snapshot shows no
 * transaction half done.
 */
const rowsMax = findingsMax + 1;

const isWorkedOn = sql`exists (select 1 from operations
  where operations.state = 'running' and repositories.id in (operations.repository_id, operations.source_repository_id))`;

const repositoryColumns = {
  id: repositories.id,
  name: repositories.name,
  state: repositories.state,
  createdAt: repositories.createdAt,
};

/** Lists repositories whose bytes are lost with their storage. */
export async function listLost(db: Db) {
  return db
    .select({ ...repositoryColumns, storagePath: repositories.storagePath, storage: storages.name })
    .from(repositories)
    .innerJoin(storages, eq(storages.id, repositories.storageId))
    .where(eq(storages.state, 'lost'))
    .orderBy(repositories.id)
    .limit(rowsMax);
}

/** Lists repositories in state `creating` or `deleting` without a running operation. */
export async function listAbandoned(db: Db) {
  return db
    .select(repositoryColumns)
    .from(repositories)
    .where(and(ne(repositories.state, 'ready'), sql`not ${isWorkedOn}`))
    .orderBy(repositories.id)
    .limit(rowsMax);
}

/** Lists repositories with an interrupted write and no running operation that would repair it. */
export async function listUnrepaired(db: Db) {
  return db
    .select(repositoryColumns)
    .from(repositories)
    .where(and(eq(repositories.needsRecovery, true), eq(repositories.state, 'ready'), sql`not ${isWorkedOn}`))
    .orderBy(repositories.id)
    .limit(rowsMax);
}

const ownerOf = (table: 'repositories' | 'repo_groups') =>
  sql`exists (select 1 from ${sql.raw(table)} owner where owner.name = names.path)`;

const unowned = sql<boolean>`not ${ownerOf('repositories')} and not ${ownerOf('repo_groups')}`;

/** Lists names that no object has, and names whose kind is not that of their object. */
export async function listWrongNames(db: Db) {
  const miscalled = sql`(names.kind = 'repository') <> ${ownerOf('repositories')}`;
  return db
    .select({ name: names.name, kind: names.kind, unowned })
    .from(names)
    .where(or(unowned, miscalled))
    .orderBy(names.name)
    .limit(rowsMax);
}

/** Frees a name unless an object has it by now; returns whether it was freed. */
export async function freeUnowned(db: Db, name: string): Promise<boolean> {
  const freed = await db
    .delete(names)
    .where(and(eq(names.name, name), unowned))
    .returning({ name: names.name });
  return freed.length > 0;
}

/** Lists repositories and groups whose parent is not the group that their name implies. */
export async function listMisplaced(db: Db) {
  return db
    .select({ name: names.name, kind: names.kind })
    .from(names)
    .innerJoin(
      sql`(select name, group_id as above from repositories union all select name, parent_id from repo_groups) placed`,
      sql`placed.name = ${names.name}`,
    )
    .where(
      sql`placed.name <> coalesce((select g.name || '/' from repo_groups g where g.id = placed.above), '')
        || substring(placed.name from '[^/]+$')`,
    )
    .orderBy(names.name)
    .limit(rowsMax);
}

/** Lists running operations whose lease has run out, or whose worker has no connection to this database. */
export async function listOrphanedOperations(db: Db) {
  const over = sql<boolean>`${operations.leaseUntil} < clock_timestamp()`;
  // Behind a connection pooler no connection shows its worker's name, so a missing connection proves nothing.
  const workerDisconnected = sql<boolean>`(current_setting('application_name') like 'vcs-worker %' and not exists (
    select 1 from pg_stat_activity a where starts_with(a.application_name, 'vcs-worker ' || operations.worker)))`;
  return db
    .select({
      id: operations.id,
      attempt: operations.attempt,
      kind: operations.kind,
      repositoryId: operations.repositoryId,
      name: sql<string>`coalesce(${operations.request}->>'name', '')`,
      leaseUntil: operations.leaseUntil,
      over,
    })
    .from(operations)
    .where(and(eq(operations.state, 'running'), or(over, workerDisconnected)))
    .orderBy(operations.createdAt)
    .limit(rowsMax);
}
