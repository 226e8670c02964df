import {
  deletedRepositories,
  followers,
  operations,
  repositories,
  userGroupRepositoryPermissions,
  userRepositoryPermissions,
  type Transaction,
} from '@trunkline/db';
import { sql } from 'drizzle-orm';
import type { ClaimedOperation } from '../operations/claimed-operation.ts';

// The repository's row is recorded whole, so that what later releases add to it is kept as well.
const document = sql`jsonb_build_object(
  'repository', to_jsonb(r) - '{clone_uri_sealed,clone_uri_secret_id}'::text[],
  'users', (select coalesce(jsonb_agg(jsonb_build_object('id', p.user_id, 'level', p.level, 'at', p.granted_at)), '[]')
    from ${userRepositoryPermissions} p where p.repository_id = r.id),
  'user_groups', (select coalesce(jsonb_agg(
      jsonb_build_object('id', p.user_group_id, 'level', p.level, 'at', p.granted_at)), '[]')
    from ${userGroupRepositoryPermissions} p where p.repository_id = r.id),
  'followers', (select coalesce(jsonb_agg(jsonb_build_object('id', f.user_id, 'at', f.followed_at)), '[]')
    from ${followers} f where f.repository_id = r.id))`;

/**
 * Keeps what restore_repo needs of a repository whose rows this transaction removes, and whose bytes have been in the
 * trash since `trashedAt`.
 */
export async function keepDeleted(
  tx: Transaction,
  { id, repositoryId }: Pick<ClaimedOperation, 'id' | 'repositoryId'>,
  trashedAt: Date,
): Promise<void> {
  await tx.execute(sql`
    insert into ${deletedRepositories} (repository_id, operation_id, storage_id, name, owner_id, deleted_by_id,
      deleted_at, size_bytes, fork_of_id, fork_ids, clone_uri_sealed, clone_uri_secret_id, document)
    select r.id, o.id, r.storage_id, r.name, r.owner_id, o.actor_id, ${trashedAt.toISOString()}::timestamptz,
      r.size_bytes, r.fork_of_id, array(select f.id from ${repositories} f where f.fork_of_id = r.id order by f.id),
      r.clone_uri_sealed, r.clone_uri_secret_id, ${document}
    from ${repositories} r join ${operations} o on o.id = ${id} where r.id = ${repositoryId}`);
}
