import { ConflictError } from '@trunkline/contracts';
import { names, repositories, type Db, type Transaction } from '@trunkline/db';
import { and, eq, isNotNull, sql, type Column, type SQL } from 'drizzle-orm';

type NameKind = 'repository' | 'group';

/** Reserves a name; false when it is taken. Waits for a concurrent transaction that reserves it. */
export async function takeName(tx: Transaction, path: string, kind: NameKind): Promise<boolean> {
  const taken = await tx.insert(names).values({ path, kind }).onConflictDoNothing().returning({ path: names.path });
  return taken.length > 0;
}

/** The condition that a column's name lies below this group, at any depth. */
export function isBelow(column: Column, groupName: string): SQL {
  return sql`starts_with(${column}, ${`${groupName}/`})`;
}

/** Frees the name of a removed object. */
export async function freeName(tx: Transaction, path: string): Promise<void> {
  await tx.delete(names).where(eq(names.path, path));
}

/** The kind of object that has a name; undefined when the name is free. */
export async function kindOf(db: Db, path: string): Promise<NameKind | undefined> {
  const [row] = await db.select({ kind: names.kind }).from(names).where(eq(names.path, path));
  return row?.kind;
}

/** The error for a group's name that is taken. */
export async function groupNameTaken(db: Db, name: string): Promise<ConflictError> {
  const isGroup = (await kindOf(db, name)) === 'group';
  return new ConflictError(`${isGroup ? 'repo group' : 'repo'} \`${name}\` already exist`);
}

/** The error for a name that a repository, a fork or a group has. */
export async function nameTaken(db: Db, name: string): Promise<ConflictError> {
  const [fork] = await db
    .select({ id: repositories.id })
    .from(repositories)
    .where(and(eq(repositories.name, name), isNotNull(repositories.forkOfId)));
  return new ConflictError(`${fork ? 'fork' : 'repo'} \`${name}\` already exist`);
}
