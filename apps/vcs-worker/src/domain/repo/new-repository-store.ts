import { levels } from '@trunkline/contracts';
import {
  followers,
  names,
  preparedSql,
  repositories,
  userRepositoryPermissions,
  type Transaction,
} from '@trunkline/db';
import { sql } from 'drizzle-orm';
import { defaultUserId } from '../../authz/effective-level.ts';

export type NewRepository = Omit<typeof repositories.$inferInsert, 'state' | 'id'>;

const given = (name: string) => sql.placeholder(name);
const optional = { groupId: null, forkOfId: null, cloneUri: null, cloneUriSealed: null, cloneUriSecretId: null };

// The new name is locked before the repository, whose row nobody else can see yet.
const insertAll = preparedSql(sql`
  with named as (
    insert into ${names} (path, kind) values (${given('name')}::text, 'repository')
    on conflict do nothing returning path),
  made as (
    insert into ${repositories} (name, uuid, group_id, type, state, storage_id, storage_path, private, description,
      owner_id, clone_uri, clone_uri_sealed, clone_uri_secret_id, landing_rev, enable_downloads, enable_locking,
      enable_statistics, fork_of_id)
    select path, ${given('uuid')}::uuid, ${given('groupId')}::int, ${given('type')}::text, 'creating',
      ${given('storageId')}::uuid, ${given('storagePath')}::text, ${given('private')}::boolean,
      ${given('description')}::text, ${given('ownerId')}::int, ${given('cloneUri')}::text,
      ${given('cloneUriSealed')}::bytea, ${given('cloneUriSecretId')}::text, ${given('landingRev')}::text,
      ${given('enableDownloads')}::boolean, ${given('enableLocking')}::boolean, ${given('enableStatistics')}::boolean,
      ${given('forkOfId')}::int
    from named returning id, created_at, epoch),
  levels as (
    insert into ${userRepositoryPermissions} (user_id, repository_id, level)
    select ${defaultUserId}, id, ${given('defaultLevel')}::int from made),
  following as (
    insert into ${followers} (user_id, repository_id) select ${given('ownerId')}::int, id from made)
  select id, created_at, epoch::int from made`);

/** A repository that was inserted in state `creating`, hidden from reads. */
export type InsertedRepository = NewRepository &
  Pick<typeof repositories.$inferSelect, 'id' | 'createdAt' | 'epoch' | 'cloneUri' | 'cloneUriSealed'>;

/**
 * Reserves the name of a repository and inserts it, with its owner as follower and its level for the user `default`, which
 * is `publicLevel` unless the repository is private. Returns null when the name is taken; waits for a concurrent
 * transaction that reserves it.
 */
export async function insertRepository(
  tx: Transaction,
  repository: NewRepository,
  publicLevel: number,
): Promise<InsertedRepository | null> {
  const defaultLevel = repository.private ? levels.none : publicLevel;
  const [made] = await insertAll(tx).execute({ ...optional, ...repository, defaultLevel });
  if (!made) return null;
  const { cloneUri = null, cloneUriSealed = null } = repository;
  const inserted = { id: made['id'], createdAt: new Date(made['created_at']), epoch: made['epoch'] };
  return { ...repository, cloneUri, cloneUriSealed, ...inserted };
}
