import { deletedRepositories, storages, users, type Db } from '@trunkline/db';
import { and, desc, eq, ne, sql, type SQL } from 'drizzle-orm';
import { alias } from 'drizzle-orm/pg-core';

const owners = alias(users, 'owners');
const deleters = alias(users, 'deleters');
const { repositoryId, deletedAt, document, restoredBy } = deletedRepositories;

/** Returns the condition that the bytes are kept, and are not about to be removed from the trash. */
export function isKept(trashDays: number): SQL {
  return sql`${deletedAt} > now() - make_interval(days => ${trashDays}::int)`;
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
  deletedBy: deleters.username,
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

/** Lists the deleted repositories whose bytes are kept, the last deleted first. */
export async function listDeleted(db: Db, { trashDays, limit, cursor }: DeletedPage) {
  const earlier = sql`(${deletedAt}, ${repositoryId}) <
    (select c.deleted_at, c.repository_id from ${deletedRepositories} c where c.repository_id = ${cursor})`;
  return db
    .select(columns)
    .from(deletedRepositories)
    .innerJoin(storages, eq(storages.id, deletedRepositories.storageId))
    .leftJoin(owners, eq(owners.id, deletedRepositories.ownerId))
    .leftJoin(deleters, eq(deleters.id, deletedRepositories.deletedById))
    .where(and(isKept(trashDays), ne(storages.state, 'lost'), cursor === null ? undefined : earlier))
    .orderBy(desc(deletedAt), desc(repositoryId))
    .limit(limit);
}

/** Returns whether a deleted repository has this id. */
export async function isDeleted(db: Db, id: number): Promise<boolean> {
  const rows = await db.select({ id: repositoryId }).from(deletedRepositories).where(eq(repositoryId, id));
  return rows.length > 0;
}
