import { repositories, type Db } from '@trunkline/db';
import { and, count, eq, gte, lt, sql, type SQL } from 'drizzle-orm';

async function sum(db: Db, which: SQL | undefined) {
  const { sizeBytes, state } = repositories;
  const [row] = await db
    .select({
      repositories: count(),
      size_bytes: sql`coalesce(sum(${sizeBytes}), 0)`.mapWith(Number),
      size_unknown: sql`count(*) filter (where ${sizeBytes} is null)`.mapWith(Number),
    })
    .from(repositories)
    .where(and(eq(state, 'ready'), which));
  return row ?? { repositories: 0, size_bytes: 0, size_unknown: 0 };
}

/** Sums the bytes of the repositories that a user owns. */
export const sizeOfOwner = (db: Db, ownerId: number) => sum(db, eq(repositories.ownerId, ownerId));

/** Sums the bytes of the repositories in a group and its subgroups: in the index of names these follow each other. */
export const sizeOfGroup = (db: Db, groupName: string) =>
  // The character after the slash is `0`.
  sum(db, and(gte(repositories.name, `${groupName}/`), lt(repositories.name, `${groupName}0`)));
