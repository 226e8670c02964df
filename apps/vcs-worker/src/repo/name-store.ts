import { ConflictError } from '@trunkline/contracts';
import { names, repositories, type Db, type Transaction } from '@trunkline/db';
import { and, eq, isNotNull, sql, type Column, type SQL } from 'drizzle-orm';

type NameKind = 'repository' | 'group';

/** Takes a name for good or tells what already has it; waits for a transaction that is taking it. */
export async function takeName(tx: Transaction, path: string, kind: NameKind): Promise<boolean> {
  const taken = await tx.insert(names).values({ path, kind }).onConflictDoNothing().returning({ path: names.path });
  return taken.length > 0;
}

/** Whether a column's name is that of something in this group, or deeper. */
export function isBelow(column: Column, groupName: string): SQL {
  return sql`starts_with(${column}, ${`${groupName}/`})`;
}

/** Gives a name back that nothing has any more. */
export async function freeName(tx: Transaction, path: string): Promise<void> {
  await tx.delete(names).where(eq(names.path, path));
}

/** What has a name; undefined when it is free. */
export async function kindOf(db: Db, path: string): Promise<NameKind | undefined> {
  const [row] = await db.select({ kind: names.kind }).from(names).where(eq(names.path, path));
  return row?.kind;
}

/** The conflict that a client hears who wants a taken name for a group. */
export async function groupNameTaken(db: Db, name: string): Promise<ConflictError> {
  const isGroup = (await kindOf(db, name)) === 'group';
  return new ConflictError(`${isGroup ? 'repo group' : 'repo'} \`${name}\` already exist`);
}

/** The conflict that a client hears about a name that a repository, a fork or a group has. */
export async function nameTaken(db: Db, name: string): Promise<ConflictError> {
  const [fork] = await db
    .select({ id: repositories.id })
    .from(repositories)
    .where(and(eq(repositories.name, name), isNotNull(repositories.forkOfId)));
  return new ConflictError(`${fork ? 'fork' : 'repo'} \`${name}\` already exist`);
}
