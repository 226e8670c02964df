import { prepared, repositories, type Database } from '@trunkline/db';
import { and, eq, sql } from 'drizzle-orm';
import { throwAsRpcError } from '../../queries.ts';

/** The repository whose name a path begins with, and the rest of the path. */
export interface Located {
  readonly id: number;
  readonly name: string;
  readonly rest: readonly string[];
}

/** A repository as the database has it. */
interface Found {
  readonly id: number;
  readonly name: string;
  readonly storageId: string;
}

const nameCharsMax = 255;

const byNames = prepared((db) =>
  db
    .select({ id: repositories.id, name: repositories.name, storageId: repositories.storageId })
    .from(repositories)
    .where(
      and(
        sql`(${repositories.name} = any(${sql.placeholder('names')}) or ${repositories.id} = ${sql.placeholder('id')}::int)`,
        eq(repositories.state, 'ready'),
      ),
    )
    .prepare('repository_by_names'),
);

/** Returns every prefix of the path that can be a name; a segment with an escaped slash is not part of a name. */
function possibleNames(segments: readonly string[]): string[] {
  const names: string[] = [];
  let name = '';
  for (const segment of segments) {
    name = name === '' ? segment : `${name}/${segment}`;
    if (segment.includes('/') || name.length > nameCharsMax) break;
    names.push(name);
  }
  return names;
}

/** Returns the id in a segment `_<repo_id>`, the address that outlives a rename; null for any other segment. */
function permanentId(segment: string | undefined): number | null {
  const [, digits] = /^_(\d{1,10})$/.exec(segment ?? '') ?? [];
  const id = Number(digits ?? -1);
  return id >= 0 && id < 2 ** 31 ? id : null;
}

/**
 * Returns a function that finds the repository that a prefix of a path names, whether the visitor may read it or not.
 * The function throws UnavailableError when the database fails.
 */
export function createRepositoryLocator(db: Database, onFound: (found: Found) => void) {
  return async (segments: readonly string[]): Promise<Located | null> => {
    const id = permanentId(segments[0]);
    const names = id === null ? possibleNames(segments) : [];
    if (id === null && names.length === 0) return null;
    // At most one row is found: no name lies below a repository, since a repository and a group cannot share a name.
    const [found] = await byNames(db).execute({ names, id }).catch(throwAsRpcError);
    if (!found) return null;
    onFound(found);
    const { name } = found;
    const nameLength = id === null ? name.split('/').length : 1;
    return { id: found.id, name, rest: segments.slice(nameLength) };
  };
}

export type LocateRepository = ReturnType<typeof createRepositoryLocator>;
