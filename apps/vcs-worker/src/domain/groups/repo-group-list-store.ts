import { levels } from '@trunkline/contracts';
import { repoGroups, users, type Db } from '@trunkline/db';
import { and, asc, eq, gt, isNull, lt, sql } from 'drizzle-orm';
import { effectiveGroupLevel } from '../../authz/repo-group/effective-group-level.ts';

const columns = { id: repoGroups.id, name: repoGroups.name, description: repoGroups.description };

/** Finds a repository group by its name, with a user's level on it. */
export async function findListedGroup(db: Db, userId: number, name: string) {
  const [row] = await db
    .select({ ...columns, level: effectiveGroupLevel(sql`${userId}`) })
    .from(repoGroups)
    .innerJoin(users, eq(users.id, userId))
    .where(eq(repoGroups.name, name));
  return row;
}

/**
 * Lists the groups that a user may read, by name: those directly in `parent` or, with a pattern, all matches below it.
 */
export async function listGroups(
  db: Db,
  userId: number,
  { parent, pattern }: { parent: { id: number; name: string } | null; pattern: string | null },
  limit: number,
) {
  const inParent = parent ? eq(repoGroups.parentId, parent.id) : isNull(repoGroups.parentId);
  // Range of the names that begin with `parent/`: `0` is the character after `/`.
  const below = parent && and(gt(repoGroups.name, `${parent.name}/`), lt(repoGroups.name, `${parent.name}0`));
  return db
    .select(columns)
    .from(repoGroups)
    .innerJoin(users, eq(users.id, userId))
    .where(
      and(
        ...(pattern === null ? [inParent] : [below ?? undefined, sql`${repoGroups.name} ~ ${pattern}`]),
        sql`${effectiveGroupLevel(sql`${userId}`)} >= ${levels.read}`,
      ),
    )
    .orderBy(asc(repoGroups.name))
    .limit(limit);
}
