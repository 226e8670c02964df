import { repoGroups, users, type Db } from '@trunkline/db';
import { and, asc, eq, gt, sql } from 'drizzle-orm';

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
