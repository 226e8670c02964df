import { prepared, type Database } from '@trunkline/db';
import { sql } from 'drizzle-orm';
import { actedColumns, givenCaller, givenEntry, type Acted, type ActingParameters } from '../authz/acting-statement.ts';
import type { NamedRepoGroup } from './repo-group-store.ts';

export interface RepoGroupWriteParameters {
  readonly repoGroupId: number | null;
  readonly repoGroupName: string | null;
  /** What the function `write_on_repo_group` does to the level of a user or user group on a repository group. */
  readonly kind: 'set_user_level' | 'remove_user_level' | 'set_user_group_level' | 'remove_user_group_level';
  readonly targetId: number | null;
  readonly targetName: string | null;
  readonly level: number | null;
}

const formerId = sql.placeholder<keyof ActingParameters>('formerId');
const given = (name: keyof RepoGroupWriteParameters) => sql.placeholder(name);

const writeQuery = prepared((db) =>
  db
    .select({
      ...actedColumns,
      repoGroupId: sql<number | null>`out_repo_group_id`,
      repoGroupName: sql<string>`out_repo_group_name`,
      level: sql<number>`out_level`,
      targetId: sql<number | null>`out_target_id`,
      targetName: sql<string>`out_target_name`,
    })
    .from(
      sql`write_on_repo_group(${givenCaller}, ${given('repoGroupId')}::int, ${given('repoGroupName')}::text,
        ${formerId}::int, ${given('kind')}::text, ${given('targetId')}::int, ${given('targetName')}::text,
        ${given('level')}::int, ${givenEntry})`,
    )
    .prepare('write_on_repo_group'),
);

export interface RepoGroupWrite extends Acted {
  /** The group that the call names, with the caller's level on it; null when there is none. */
  readonly group: (NamedRepoGroup & { readonly level: number }) | null;
  /** The user or user group that the call names; null when there is none. */
  readonly target: { readonly id: number; readonly name: string } | null;
}

/**
 * Reads the caller's rights, locks the repository group, reads the rights again, acts and records the call: all in one
 * statement, and nothing if the caller does not administer the group.
 */
export async function writeOnRepoGroup(
  pool: Database,
  parameters: ActingParameters & RepoGroupWriteParameters,
): Promise<RepoGroupWrite> {
  const [row] = await writeQuery(pool).execute({ ...parameters });
  if (!row) throw new Error('the function write_on_repo_group has returned nothing');
  const { step, changed, repoGroupId, repoGroupName, level, targetId, targetName, ...rights } = row;
  const group = repoGroupId === null ? null : { id: repoGroupId, name: repoGroupName, level };
  const target = targetId === null ? null : { id: targetId, name: targetName };
  return { step, rights: { ...rights, repository: null }, changed, group, target };
}
