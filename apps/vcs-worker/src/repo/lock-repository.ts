import type { EntityRef } from '@trunkline/contracts';
import { prepared, repositories, type Db } from '@trunkline/db';
import { and, eq, sql } from 'drizzle-orm';
import { repositoryNotFound, type Access, type RepositoryAccess } from '../authz/authorize.ts';
import { requireRepository } from '../authz/repository/require-repository.ts';
import type { WriteScope } from '../methods/context.ts';

/**
 * `key share` keeps other transactions from renaming or deleting the repository, `share` from changing the row at all.
 * Changes of the repository or its permissions take `no key update`, renames and deletions `update`, as the first lock
 * on the row: two transactions that upgraded a shared lock would deadlock.
 */
export type Strength = 'key share' | 'share' | 'no key update' | 'update';

const id = sql.placeholder('id');
const name = sql`${sql.placeholder('name')}::text`;
const idNamed = sql`coalesce(${id}::int, (select id from ${repositories} where name = ${name}))`;

const columns = {
  id: repositories.id,
  name: repositories.name,
  uuid: repositories.uuid,
  type: repositories.type,
  private: repositories.private,
  storageId: repositories.storageId,
  storagePath: repositories.storagePath,
  sizeBytes: repositories.sizeBytes,
};

export type LockedRow = { [K in keyof typeof columns]: (typeof repositories.$inferSelect)[K] };

/** Returns the statement that locks a repository if it has the name where one is given; `atOnce` waits for no lock. */
function locking(strength: Strength, atOnce: boolean) {
  return prepared((db) =>
    db
      .select(columns)
      .from(repositories)
      .where(
        and(
          eq(repositories.id, atOnce ? idNamed : id),
          eq(repositories.state, 'ready'),
          sql`(${name} is null or ${repositories.name} = ${name})`,
        ),
      )
      .for(strength, atOnce ? { skipLocked: true } : {})
      .prepare('lock_repository'),
  );
}

function lockingEach(atOnce: boolean) {
  return {
    'key share': locking('key share', atOnce),
    share: locking('share', atOnce),
    'no key update': locking('no key update', atOnce),
    update: locking('update', atOnce),
  } as const satisfies Record<Strength, unknown>;
}

const waiting = lockingEach(false);
const atOnce = lockingEach(true);

/** Locks the repository that a call names if that needs no wait; the caller's right to reach it was checked before. */
export async function lockAtOnce(db: Db, ref: EntityRef, strength: Strength): Promise<LockedRow | null> {
  const [row] = await atOnce[strength](db).execute({ id: ref.id, name: ref.name });
  return row ?? null;
}

export type LockedRepository = RepositoryAccess & LockedRow & { readonly access: Access };

/**
 * Locks the repository that the call names until the transaction ends. Rights were read before the lock and are read
 * again under it: a rename, a deletion or a revoked right since then is an error. A transaction that began with this lock
 * has read the rights under it.
 */
export async function lockRepository(
  { db, access, locked, authorize }: WriteScope,
  ref: EntityRef,
  strength: Strength,
): Promise<LockedRepository> {
  const repository = requireRepository(access, ref);
  if (locked) return { ...repository, ...locked, access };
  const [row] = await waiting[strength](db).execute({ id: repository.id, name: ref.name });
  if (!row) throw repositoryNotFound(ref);
  const now = await authorize();
  return { ...requireRepository(now, ref), ...row, access: now };
}
