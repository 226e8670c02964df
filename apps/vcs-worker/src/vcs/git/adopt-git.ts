import { lstat, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { hasCode } from '../../has-code.ts';
import { notAdoptable } from '../adoption/not-adoptable.ts';
import { readPlainFile } from '../adoption/read-plain-file.ts';
import { replaceConfiguration } from '../adoption/replace-configuration.ts';
import { requirePlainTree } from '../adoption/require-plain-tree.ts';
import { removeCommitGraph } from './commit-graph.ts';
import { parseGitConfiguration } from './git-configuration.ts';
import { ownConfiguration } from './own-configuration.ts';
import { readDescription } from './read-description.ts';
import { refuseAlteredHistory } from './refuse-altered-history.ts';

/**
 * Extensions that have no effect once Trunkline's configuration replaces the repository's, with their accepted values;
 * an empty list accepts any value.
 */
const allowedExtensions: Readonly<Record<string, readonly string[]>> = {
  'extensions.noop': [],
  'extensions.worktreeconfig': [],
  'extensions.objectformat': ['sha1'],
};

function requireReadableFormat(configuration: string): void {
  for (const { name, value } of parseGitConfiguration(configuration)) {
    if (name === 'core.repositoryformatversion' && !/^[01]?$/.test(value)) {
      throw notAdoptable(`its format is of version \`${value}\``);
    }
    if (name === 'remote.promisor' && value.toLowerCase() !== 'false') {
      throw notAdoptable('it is a partial clone: objects are missing');
    }
    if (!name.startsWith('extensions.')) continue;
    const allowed = allowedExtensions[name];
    if (!allowed || (allowed.length > 0 && !allowed.includes(value.toLowerCase()))) {
      throw notAdoptable(`it needs \`${name}\` = \`${value}\``);
    }
  }
}

async function refuseBorrowedObjects(path: string): Promise<void> {
  for (const name of ['objects/info/alternates', 'objects/info/http-alternates']) {
    const text = await readPlainFile(join(path, name));
    if (text?.trim()) throw notAdoptable(`it borrows objects from elsewhere (\`${name}\`)`);
  }
  if ((await readPlainFile(join(path, 'commondir'))) !== null) throw notAdoptable('it is the work tree of another one');
  if ((await linkedWorkTrees(path)).length > 0) throw notAdoptable('it has linked work trees');
}

async function linkedWorkTrees(path: string): Promise<string[]> {
  try {
    return await readdir(join(path, 'worktrees'));
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return [];
    throw error;
  }
}

/** Hooks never run: `core.hooksPath` in the environment of every git command overrides the repository's setting. */
function isHook(path: string): boolean {
  return path === 'hooks' || path.startsWith('hooks/');
}

/**
 * Refuses (VcsError `not-adoptable`) a repository that refers to files elsewhere, lacks objects or history, or needs a
 * format that is not supported. Returns the repository's own description. Runs no tool.
 */
export async function inspectGit(path: string): Promise<{ description: string | null }> {
  await requirePlainTree(path, isHook);
  for (const directory of ['objects', 'refs']) {
    if (!(await lstat(join(path, directory))).isDirectory()) throw notAdoptable(`\`${directory}\` is no directory`);
  }
  if ((await readPlainFile(join(path, 'HEAD'))) === null) throw notAdoptable('it has no HEAD');
  await refuseBorrowedObjects(path);
  await refuseAlteredHistory(path);
  requireReadableFormat((await readPlainFile(join(path, 'config'))) ?? '');
  return { description: await readDescription(path) };
}

/** Replaces the repository's configuration with Trunkline's and removes the commit-graph, which may be forged. */
export async function replaceGitConfiguration(path: string, repositoryUuid: string): Promise<void> {
  await removeCommitGraph(path);
  await replaceConfiguration(join(path, 'config'), ownConfiguration(repositoryUuid));
}
