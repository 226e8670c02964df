import type { EntityRef } from '@trunkline/contracts';
import { prepared, repositories, type Db } from '@trunkline/db';
import { and, eq, sql } from 'drizzle-orm';
import {
  repositoryNotFound,
  rightsSuffice,
  type Access,
  type RepositoryAccess,
  type rightsParameters,
} from '../../authz/authorize.ts';
import { requireRepository } from '../../authz/require-repository.ts';
import type { LockedRow, Strength, WriteScope } from '../../write-scope.ts';

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
} satisfies Record<keyof LockedRow, unknown>;

type Mode = 'waiting' | 'at once' | 'if permitted';

/** Returns the statement that locks a repository if it has the name where one is given. Only `waiting` waits for a lock. */
function locking(strength: Strength, mode: Mode) {
  const waits = mode === 'waiting';
  return prepared((db) =>
    db
      .select(columns)
      .from(repositories)
      .where(
        and(
          eq(repositories.id, waits ? id : idNamed),
          eq(repositories.state, 'ready'),
          sql`(${name} is null or ${repositories.name} = ${name})`,
          mode === 'if permitted' ? rightsSuffice(db) : undefined,
        ),
      )
      .for(strength, waits ? {} : { skipLocked: true })
      .prepare('lock_repository'),
  );
}

function lockingEach(mode: Mode) {
  return {
    'key share': locking('key share', mode),
    share: locking('share', mode),
    'no key update': locking('no key update', mode),
    update: locking('update', mode),
  } as const satisfies Record<Strength, unknown>;
}

const waiting = lockingEach('waiting');
const atOnce = lockingEach('at once');
const ifPermitted = lockingEach('if permitted');

/** Locks the repository that a call names if that needs no wait; the caller's right to reach it was checked before. */
export async function lockAtOnce(db: Db, ref: EntityRef, strength: Strength): Promise<LockedRow | null> {
  const [row] = await atOnce[strength](db).execute({ id: ref.id, name: ref.name });
  return row ?? null;
}

/** The same for a call whose rights were not checked: they are read in this statement, and where they lack, it locks nothing. */
export async function lockIfPermitted(
  db: Db,
  ref: EntityRef,
  strength: Strength,
  rights: ReturnType<typeof rightsParameters>,
): Promise<LockedRow | null> {
  const named = { id: ref.id, name: ref.name, repositoryId: ref.id, repositoryName: ref.name };
  const [row] = await ifPermitted[strength](db).execute({ ...named, ...rights });
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
