import { constants } from 'node:fs';
import { lstat, open, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { hasCode } from '../../has-code.ts';
import {
  notAdoptable,
  readBeginning,
  readPlainFile,
  replaceConfiguration,
  requirePlainTree,
  type Beginning,
} from '../adoption.ts';
import { removeCommitGraph } from './commit-graph.ts';
import { ownConfiguration, parseGitConfiguration } from './git-configuration.ts';

const replaceReferences = 'refs/replace';

async function hasLooseReplacements(path: string): Promise<boolean> {
  try {
    const entries = await readdir(join(path, replaceReferences), { recursive: true, withFileTypes: true });
    return entries.some((entry) => !entry.isDirectory());
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return false;
    throw error;
  }
}

/** Searches packed-refs, which may be large, chunk by chunk. A ref name contains no space, so the search is exact. */
async function hasPackedReplacements(path: string): Promise<boolean> {
  const wanted = ` ${replaceReferences}/`;
  let handle;
  try {
    handle = await open(join(path, 'packed-refs'), constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return false;
    throw error;
  }
  try {
    let rest = '';
    for await (const chunk of handle.createReadStream({ encoding: 'latin1', autoClose: false })) {
      const text = rest + String(chunk);
      if (text.includes(wanted)) return true;
      rest = text.slice(-wanted.length);
    }
    return false;
  } finally {
    await handle.close();
  }
}

async function hasEntries(path: string): Promise<boolean> {
  // A line that begins with `#` is a comment.
  return /^[^#\s]/m.test((await readPlainFile(path)) ?? '');
}

/**
 * Refuses (VcsError `not-adoptable`) a repository with replace refs, grafts or a shallow history: with these git shows
 * other commits than the real ones, or not all of them.
 */
async function refuseAlteredHistory(path: string): Promise<void> {
  if ((await hasLooseReplacements(path)) || (await hasPackedReplacements(path))) {
    throw notAdoptable(`it replaces objects by others (\`${replaceReferences}\`)`);
  }
  if (await hasEntries(join(path, 'info/grafts'))) {
    throw notAdoptable('it gives commits other parents (`info/grafts`)');
  }
  if (await hasEntries(join(path, 'shallow'))) {
    throw notAdoptable('it is a shallow clone: changesets are missing');
  }
}

/** No description that Trunkline stores is longer. */
const descriptionBytesMax = 32 * 1024;

/** Texts that git itself writes to a new repository's `description`, today and before version 1.7. */
const placeholders = new Set([
  "Unnamed repository; edit this file 'description' to name the repository.",
  'Unnamed repository; edit this file to name it for gitweb.',
]);

/** Decodes UTF-8 that may be cut off in the middle of a character; returns null for invalid bytes. */
function decode({ bytes, isWhole }: Beginning): string | null {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes, { stream: !isWhole });
  } catch {
    return null;
  }
}

/** Returns the text of git's `description` file; null when it is missing, empty, git's own text or not displayable. */
export async function readDescription(path: string): Promise<string | null> {
  const beginning = await readBeginning(join(path, 'description'), descriptionBytesMax);
  const text = (beginning && decode(beginning))?.replaceAll('\r\n', '\n').trim() ?? '';
  const hasControls = /[^\P{Cc}\t\n]/u.test(text);
  return text === '' || hasControls || placeholders.has(text) ? null : text;
}

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
