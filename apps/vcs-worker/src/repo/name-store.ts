import { ConflictError } from '@trunkline/contracts';
import { names, repositories, type Executor, type Transaction } from '@trunkline/db';
import { and, eq, inArray, isNotNull } from 'drizzle-orm';

export type NameKind = 'repository' | 'group';

/** Takes a name for good or tells what already has it; waits for a transaction that is taking it. */
export async function takeName(tx: Transaction, path: string, kind: NameKind): Promise<boolean> {
  const taken = await tx.insert(names).values({ path, kind }).onConflictDoNothing().returning({ path: names.path });
  return taken.length > 0;
}

export async function kindsOf(db: Executor, paths: readonly string[]): Promise<Map<string, NameKind>> {
  if (paths.length === 0) return new Map();
  const rows = await db
    .select()
    .from(names)
    .where(inArray(names.path, [...paths]));
  return new Map(rows.map(({ path, kind }) => [path, kind]));
}

/** The conflict that a client hears about a name that a repository, a fork or a group has. */
export async function nameTaken(db: Executor, name: string): Promise<ConflictError> {
  const [fork] = await db
    .select({ id: repositories.id })
    .from(repositories)
    .where(and(eq(repositories.name, name), isNotNull(repositories.forkOfId)));
  return new ConflictError(`${fork ? 'fork' : 'repo'} \`${name}\` already exist`);
}
