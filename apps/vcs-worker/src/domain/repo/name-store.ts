import { ConflictError } from '@trunkline/contracts';
import { names, prepared, repositories, type Db, type Transaction } from '@trunkline/db';
import { and, eq, isNotNull, sql, type Column, type SQL } from 'drizzle-orm';

type NameKind = 'repository' | 'group';

const name = sql.placeholder('name');

const insertName = prepared((db) =>
  db
    .insert(names)
    .values({ name, kind: sql.placeholder('kind') })
    .onConflictDoNothing()
    .returning({ name: names.name })
    .prepare('insert_name'),
);
const deleteName = prepared((db) => db.delete(names).where(eq(names.name, name)).prepare('delete_name'));
const kindOfName = prepared((db) =>
  db.select({ kind: names.kind }).from(names).where(eq(names.name, name)).prepare('kind_of_name'),
);

/** Reserves a name; returns false when the name is taken. Waits for a concurrent transaction that reserves the name. */
export async function reserveName(tx: Transaction, name: string, kind: NameKind): Promise<boolean> {
  return (await insertName(tx).execute({ name, kind })).length > 0;
}

/** Returns the condition that the name in a column lies below this group, at any depth. */
export function isBelow(column: Column, groupName: string): SQL {
  return sql`starts_with(${column}, ${`${groupName}/`})`;
}

/** Frees the name of a removed repository or group. */
export async function freeName(tx: Transaction, name: string): Promise<void> {
  await deleteName(tx).execute({ name });
}

/** Returns whether a repository or a group has a name; undefined when the name is free. */
export async function kindOf(db: Db, name: string): Promise<NameKind | undefined> {
  const [row] = await kindOfName(db).execute({ name });
  return row?.kind;
}

// Clients expect the texts of these errors as they are.

/** Returns the error that the client receives when a new group's name is taken. */
export async function groupNameTakenError(db: Db, name: string): Promise<ConflictError> {
  const isGroup = (await kindOf(db, name)) === 'group';
  return new ConflictError(`${isGroup ? 'repo group' : 'repo'} \`${name}\` already exist`);
}

/**
 * Returns the error that the client receives when a new repository's name is taken; the text depends on whether a fork
 * has the name. A group that has the name is called a repo, too.
 */
export async function repositoryNameTakenError(db: Db, name: string): Promise<ConflictError> {
  const [fork] = await db
    .select({ id: repositories.id })
    .from(repositories)
    .where(and(eq(repositories.name, name), isNotNull(repositories.forkOfId)));
  return new ConflictError(`${fork ? 'fork' : 'repo'} \`${name}\` already exist`);
}
