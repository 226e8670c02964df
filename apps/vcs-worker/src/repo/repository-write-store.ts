import { prepared, repositories, type Database } from '@trunkline/db';
import { sql } from 'drizzle-orm';
import { actedColumns, givenCaller, givenEntry, type Acted, type ActingParameters } from '../authz/acting-statement.ts';
import { toStoredChangeset, type ReadState } from './tip-store.ts';

/** What the function `write_on_repository` does to a repository, and to the user or user group that is its target. */
export type RepositoryActKind =
  | 'set_user_level'
  | 'remove_user_level'
  | 'set_user_group_level'
  | 'remove_user_group_level'
  | 'lock'
  | 'unlock'
  | 'show_lock'
  | 'follow'
  | 'unfollow'
  | 'record_state';

/** What was read of the bytes of a repository, and in which generation. */
export interface StateOfGeneration extends ReadState {
  readonly id: number;
  readonly generation: number;
}

export interface RepositoryWriteParameters {
  /** The caller needs this level on the repository. */
  readonly leastLevel: number;
  readonly repositoryId: number | null;
  readonly repositoryName: string | null;
  readonly kind: RepositoryActKind;
  readonly targetId: number | null;
  readonly targetName: string | null;
  readonly level: number | null;
  readonly state: StateOfGeneration | null;
}

const formerId = sql.placeholder<keyof ActingParameters>('formerId');
const given = (name: keyof RepositoryWriteParameters) => sql.placeholder(name);
const givenState = sql`${sql.placeholder('readId')}::int, ${sql.placeholder('readGeneration')}::bigint,
  ${sql.placeholder('tip')}::jsonb, ${sql.placeholder('defaultBranch')}::text`;

const writeQuery = prepared((db) =>
  db
    .select({
      ...actedColumns,
      repositoryId: sql<number | null>`out_repository_id`,
      repositoryName: sql<string>`out_repository_name`,
      level: sql<number>`out_level`,
      targetId: sql<number | null>`out_target_id`,
      targetName: sql<string>`out_target_name`,
      isFollower: sql<boolean | null>`out_is_follower`,
      lockedBy: sql<string | null>`out_locked_by`,
      lockedAt: sql<Date | null>`out_locked_at`.mapWith(repositories.lockedAt),
    })
    .from(
      sql`write_on_repository(${givenCaller}, ${given('leastLevel')}::int, ${given('repositoryId')}::int,
        ${given('repositoryName')}::text, ${formerId}::int, ${given('kind')}::text, ${given('targetId')}::int,
        ${given('targetName')}::text, ${given('level')}::int, ${givenState}, ${givenEntry})`,
    )
    .prepare('write_on_repository'),
);

export interface RepositoryWrite extends Acted {
  /** The user or user group that the call names; null when there is none. */
  readonly target: { readonly id: number; readonly name: string } | null;
  /** Whether the caller follows the repository; null unless the act is `unfollow`. */
  readonly isFollower: boolean | null;
  /** The holder of the repository lock, by the act `show_lock`. */
  readonly lockedBy: string | null;
  /** When the repository was locked, by the acts `lock` and `show_lock`. */
  readonly lockedAt: Date | null;
}

/**
 * Reads the caller's rights, locks the repository, reads the rights again, acts and records the call: all in one
 * statement, and nothing if the rights do not suffice.
 */
export async function writeOnRepository(
  pool: Database,
  { state, ...parameters }: ActingParameters & RepositoryWriteParameters,
): Promise<RepositoryWrite> {
  const tip = toStoredChangeset(state?.tip ?? null);
  const [row] = await writeQuery(pool).execute({
    ...parameters,
    readId: state?.id ?? null,
    readGeneration: state?.generation ?? null,
    tip: tip && JSON.stringify(tip),
    defaultBranch: state?.defaultBranch ?? null,
  });
  if (!row) throw new Error('the function write_on_repository has returned nothing');
  const { repositoryId, repositoryName, level, targetId, targetName, ...others } = row;
  const { step, changed, isFollower, lockedBy, lockedAt, ...rights } = others;
  const repository = repositoryId === null ? null : { id: repositoryId, name: repositoryName, level };
  const target = targetId === null ? null : { id: targetId, name: targetName };
  return { step, rights: { ...rights, repository }, target, changed, isFollower, lockedBy, lockedAt };
}
