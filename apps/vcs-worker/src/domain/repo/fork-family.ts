import { repositories, type Db, type Transaction } from '@trunkline/db';
import { and, eq, inArray, sql, type SQL } from 'drizzle-orm';

const familyColumns = {
  id: repositories.id,
  name: repositories.name,
  uuid: repositories.uuid,
  storagePath: repositories.storagePath,
};

/**
 * Selects the ids of the fork families of some repositories, whose ids `members` selects: the repository from which all
 * of a family were forked, directly or not, and all its forks.
 */
export function idsOfFamilies(members: SQL): SQL {
  return sql`(with recursive above as (
      select id, fork_of_id from repositories where id in (${members})
      union select r.id, r.fork_of_id from repositories r join above a on r.id = a.fork_of_id),
    family as (
      select id from above where fork_of_id is null
      union select r.id from repositories r join family f on r.fork_of_id = f.id)
    select id from family)`;
}

/** Lists the repositories of a fork family on one storage in the order of ids, in which a fork comes after its source. */
export async function listFamily(db: Db, repositoryId: number, storageId: string) {
  const ids = idsOfFamilies(sql`${repositoryId}`);
  return db
    .select(familyColumns)
    .from(repositories)
    .where(
      and(sql`${repositories.id} in ${ids}`, eq(repositories.storageId, storageId), eq(repositories.state, 'ready')),
    )
    .orderBy(repositories.id);
}

/** Locks these repositories, as far as they are there, in the order of ids. */
export async function lockAll(tx: Transaction, ids: readonly number[]): Promise<void> {
  await tx
    .select({ id: repositories.id })
    .from(repositories)
    .where(inArray(repositories.id, [...ids]))
    .orderBy(repositories.id)
    .for('update');
}
