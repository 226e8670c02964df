import { levels } from '@trunkline/contracts';
import { type Db, repoGroups, users } from '@trunkline/db';
import { and, asc, eq, gt, isNull, lt, sql } from 'drizzle-orm';
import { effectiveGroupLevel } from '../../authz/effective-level.ts';

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

/** Lists a page of the repository groups that match a regular expression, by name. */
export async function listAdministeredGroups(
  db: Db,
  pattern: string | null,
  { limit, cursor }: { readonly limit: number; readonly cursor: string | null },
) {
  return db
    .select({
      group_id: repoGroups.id,
      group_name: repoGroups.name,
      description: repoGroups.description,
      owner: users.username,
    })
    .from(repoGroups)
    .innerJoin(users, eq(users.id, repoGroups.ownerId))
    .where(and(gt(repoGroups.name, cursor ?? ''), pattern === null ? undefined : sql`${repoGroups.name} ~ ${pattern}`))
    .orderBy(asc(repoGroups.name))
    .limit(limit);
}
