import { parseRevision } from '../revision.ts';
import { VcsError } from '../vcs-error.ts';
import { commitFromNewest, type CommitWalk } from './commit-walk.ts';
import { findRef } from './find-ref.ts';
import type { GitCommands } from './git-commands.ts';
import type { History } from './history.ts';
import type { ObjectReader } from './object-reader.ts';

/** Tools that read a repository's history. */
export interface HistoryTools {
  readonly git: GitCommands;
  readonly reader: ObjectReader;
  readonly walk: CommitWalk;
  readonly history: History;
}

/** Returns whether a full name keeps git's rules for ref names; git could read any other as revision syntax. */
function isRefName(ref: string): boolean {
  // eslint-disable-next-line no-control-regex -- control characters are among what git forbids
  return !/[\u0000-\u0020\u007f~^:?*[\\]|\.\.|@\{|\/\/|\.lock(\/|$)|\/\.|[/.]$/.test(ref);
}

/** A prefix that more objects than this have in common counts as ambiguous. */
const candidatesMax = 1_000;

async function exists(git: GitCommands, path: string, ref: string): Promise<boolean> {
  return (await git.tryRun(path, ['show-ref', '--verify', '--quiet', '--', ref])).exitCode === 0;
}

/** Returns the id of the commit that a ref points to; `ref` is a full name and is matched exactly. */
async function byFullName(git: GitCommands, reader: ObjectReader, path: string, ref: string): Promise<string | null> {
  if (!isRefName(ref)) return null;
  const found = await findRef(path, ref);
  if (found !== 'unclear') return found.id && ((await reader.read(path, `${found.id}^{commit}`))?.id ?? null);
  const object = await reader.read(path, `${ref}^{commit}`);
  // Git itself also reads `x-g<prefix>` as output of `describe`, and refs/heads/x as refs/heads/refs/heads/x.
  return object && (await exists(git, path, ref)) ? object.id : null;
}

/** Returns the id of a branch's newest commit; null when there is no such branch. */
export async function findBranch(
  git: GitCommands,
  reader: ObjectReader,
  path: string,
  name: string,
): Promise<string | null> {
  return byFullName(git, reader, path, `refs/heads/${name}`);
}

async function byName(git: GitCommands, reader: ObjectReader, path: string, name: string): Promise<string | null> {
  // A full name is first, so that what it names cannot be hidden by a branch that is called like it.
  const full = name.startsWith('refs/') ? [name] : [];
  for (const ref of [...full, `refs/heads/${name}`, `refs/tags/${name}`]) {
    const rawId = await byFullName(git, reader, path, ref);
    if (rawId) return rawId;
  }
  return null;
}

/** Returns the id of the only commit whose id begins with these hexadecimal digits; null when there is none or several. */
export async function findByPrefix(
  { git, reader }: Pick<HistoryTools, 'git' | 'reader'>,
  path: string,
  prefix: string,
): Promise<string | null> {
  const { stdout } = await git.tryRun(path, ['rev-parse', `--disambiguate=${prefix}`]);
  const ids = stdout.toString().split('\n').filter(Boolean);
  if (ids.length > candidatesMax) return null;
  // Only ids are compared, so no content is read: there may be many candidates, and large ones.
  const commits = await Promise.all(ids.map(async (id) => (await reader.check(path, `${id}^{commit}`))?.id === id));
  const [rawId = null, ...others] = ids.filter((_, index) => commits[index]);
  return others.length === 0 ? rawId : null;
}

/**
 * Returns the full id of the commit that a user's revision names. Throws VcsError `unknown-revision`, or
 * `empty-repository` for the tip of a repository without commits.
 */
export async function resolveGitRevision(
  tools: HistoryTools,
  path: string,
  requested: string | number | null,
): Promise<string> {
  const { git, reader, walk, history } = tools;
  const revision = parseRevision(requested);
  const find = async (): Promise<string | null> => {
    switch (revision?.kind) {
      case 'tip':
        return commitFromNewest(walk, path, 0);
      case 'id':
        return (await reader.read(path, `${revision.rawId}^{commit}`))?.id === revision.rawId ? revision.rawId : null;
      case 'number':
        return history.find(path, revision.number, (commits) => commits.idAt(revision.number));
      case 'name':
        return (
          (await byName(git, reader, path, revision.name)) ??
          (revision.prefix && (await findByPrefix(tools, path, revision.prefix)))
        );
      case undefined:
        return null;
    }
  };
  const rawId = await find();
  if (rawId) return rawId;
  throw new VcsError(revision?.kind === 'tip' ? 'empty-repository' : 'unknown-revision', 'no such commit');
}
