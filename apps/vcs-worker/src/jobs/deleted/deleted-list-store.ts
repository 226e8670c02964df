import { deletedRepositories, storages, users, type Db } from '@trunkline/db';
import { and, desc, eq, lte, ne, sql, type SQL } from 'drizzle-orm';
import { alias } from 'drizzle-orm/pg-core';
import { recordedName } from '../../domain/audit/audit-list-store.ts';

const owners = alias(users, 'owners');
const deleters = alias(users, 'deleters');
const { repositoryId, storageId, deletedAt, document, restoredBy } = deletedRepositories;

const keptAfter = (trashDays: number) => sql`now() - make_interval(days => ${trashDays}::int)`;

/** Returns the condition that the bytes are kept, and are not about to be removed from the trash. */
export function isKept(trashDays: number): SQL {
  return sql`${deletedAt} > ${keptAfter(trashDays)}`;
}

const inDocument = <T>(member: string) => sql<T>`${document}->'repository'->>${sql.raw(`'${member}'`)}`;

const columns = {
  id: repositoryId,
  name: deletedRepositories.name,
  type: inDocument<'hg' | 'git'>('type'),
  description: inDocument<string>('description'),
  private: sql<boolean>`(${document}->'repository'->>'private')::boolean`,
  owner: owners.username,
  storage: storages.name,
  sizeBytes: deletedRepositories.sizeBytes,
  deletedBy: sql<string | null>`coalesce(${deleters.username}, ${recordedName(deletedRepositories.deletedById)})`,
  deletedAt,
  isRestored: sql<boolean>`${restoredBy} is not null`,
};

export type DeletedRow = Awaited<ReturnType<typeof listDeleted>>[number];

interface DeletedPage {
  readonly trashDays: number;
  readonly limit: number;
  /** Only repositories that were deleted before the one with this id. */
  readonly cursor: number | null;
}

/**
 * Query for the ids on a page, of which each storage that is not lost has at most a page. Compared as rows, they can only be
 * read by the index that begins with the storage; an equation would also allow the one that passes over lost storages.
 */
function pageOfIds(db: Db, { trashDays, limit, cursor }: DeletedPage) {
  const earlier = sql`(${storageId}, ${deletedAt}, ${repositoryId}) <
    (select ${storages.id}, c.deleted_at, c.repository_id from ${deletedRepositories} c where c.repository_id = ${cursor})`;
  const ofStorage = db
    .select({ id: repositoryId, deletedAt })
    .from(deletedRepositories)
    .where(
      and(
        sql`(${storageId}, ${deletedAt}) > (${storages.id}, ${keptAfter(trashDays)})`,
        cursor === null ? lte(storageId, storages.id) : earlier,
      ),
    )
    .orderBy(desc(storageId), desc(deletedAt), desc(repositoryId))
    .limit(limit)
    .as('of_storage');
  return db
    .select({ id: ofStorage.id })
    .from(storages)
    .innerJoinLateral(ofStorage, sql`true`)
    .where(ne(storages.state, 'lost'))
    .orderBy(desc(ofStorage.deletedAt), desc(ofStorage.id))
    .limit(limit);
}

/** Lists the deleted repositories whose bytes are kept, the last deleted first. */
export async function listDeleted(db: Db, page: DeletedPage) {
  return (
    db
      .select(columns)
      .from(deletedRepositories)
      .innerJoin(storages, eq(storages.id, storageId))
      .leftJoin(owners, eq(owners.id, deletedRepositories.ownerId))
      .leftJoin(deleters, eq(deleters.id, deletedRepositories.deletedById))
      // An array, since Postgres expects few elements of one, and so reads them by index even before it knows the limit.
      .where(sql`${repositoryId} = any(array(${pageOfIds(db, page)}))`)
      .orderBy(desc(deletedAt), desc(repositoryId))
  );
}

/** Returns whether a deleted repository has this id. */
export async function isDeleted(db: Db, id: number): Promise<boolean> {
  const rows = await db.select({ id: repositoryId }).from(deletedRepositories).where(eq(repositoryId, id));
  return rows.length > 0;
}
