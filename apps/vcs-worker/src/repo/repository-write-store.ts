import { prepared, repositories, type Database } from '@trunkline/db';
import { sql } from 'drizzle-orm';
import { actedColumns, givenCaller, givenEntry, type Acted, type ActingParameters } from '../authz/acting-statement.ts';

/** What the function `write_on_repository` does to a repository, and to the user or user group that is its target. */
export type RepositoryActKind =
  | 'set_user_level'
  | 'remove_user_level'
  | 'set_user_group_level'
  | 'remove_user_group_level'
  | 'lock'
  | 'unlock'
  | 'follow';

export interface RepositoryWriteParameters {
  /** The caller needs this level on the repository. */
  readonly leastLevel: number;
  readonly repositoryId: number | null;
  readonly repositoryName: string | null;
  /** The repository that an earlier run of the call has found; another one is not written. */
  readonly formerId: number | null;
  readonly kind: RepositoryActKind;
  readonly targetId: number | null;
  readonly targetName: string | null;
  readonly level: number | null;
}

const given = (name: keyof RepositoryWriteParameters) => sql.placeholder(name);

const writeQuery = prepared((db) =>
  db
    .select({
      ...actedColumns,
      repositoryId: sql<number | null>`out_repository_id`,
      repositoryName: sql<string>`out_repository_name`,
      level: sql<number>`out_level`,
      targetId: sql<number | null>`out_target_id`,
      targetName: sql<string>`out_target_name`,
      lockedAt: sql<Date | null>`out_locked_at`.mapWith(repositories.lockedAt),
    })
    .from(
      sql`write_on_repository(${givenCaller}, ${given('leastLevel')}::int, ${given('repositoryId')}::int,
        ${given('repositoryName')}::text, ${given('formerId')}::int, ${given('kind')}::text, ${given('targetId')}::int,
        ${given('targetName')}::text, ${given('level')}::int, ${givenEntry})`,
    )
    .prepare('write_on_repository'),
);

export interface RepositoryWrite extends Acted {
  /** The user or user group that the call names; null when there is none. */
  readonly target: { readonly id: number; readonly name: string } | null;
  /** When the repository was locked, by this act. */
  readonly lockedAt: Date | null;
}

/**
 * Reads the caller's rights, locks the repository, reads the rights again, acts and records the call: all in one
 * statement, and nothing if the rights do not suffice.
 */
export async function writeOnRepository(
  pool: Database,
  parameters: ActingParameters & RepositoryWriteParameters,
): Promise<RepositoryWrite> {
  const [row] = await writeQuery(pool).execute({ ...parameters });
  if (!row) throw new Error('the function write_on_repository has returned nothing');
  const { step, repositoryId, repositoryName, level, targetId, targetName, changed, lockedAt, ...rights } = row;
  const repository = repositoryId === null ? null : { id: repositoryId, name: repositoryName, level };
  const target = targetId === null ? null : { id: targetId, name: targetName };
  return { step, rights: { ...rights, repository }, target, changed, lockedAt };
}
