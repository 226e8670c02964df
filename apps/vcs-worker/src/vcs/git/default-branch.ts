import { open, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { hasCode } from '../../has-code.ts';
import { syncDirectory } from '../../storage/durable.ts';
import type { DefaultRef } from '../backend.ts';
import { VcsError } from '../vcs-error.ts';
import { findRef } from './find-ref.ts';
import type { GitCommands } from './git-commands.ts';
import type { ObjectReader } from './object-reader.ts';
import { referenceNameProblem } from './protocol/reference-rules.ts';
import { findBranch as findCommitOf } from './resolve-revision.ts';
import { removeStale } from './unfinished-files.ts';

export const branchPrefix = 'refs/heads/';
/** Names of default branches, of which the first one counts that exists. */
const usual = ['main', 'master', 'trunk'];

/** Returns the branch to which HEAD leads; null for a HEAD that names a commit or no branch. */
export async function readDefaultBranch(path: string): Promise<string | null> {
  const [, branch] = /^ref: refs\/heads\/(.+)\n$/.exec(await readFile(join(path, 'HEAD'), 'utf8')) ?? [];
  return branch ?? null;
}

/** Returns the branch of HEAD with its commit; null when there is no such branch. */
export async function readDefaultRef(git: GitCommands, reader: ObjectReader, path: string): Promise<DefaultRef | null> {
  const name = await readDefaultBranch(path);
  const rawId = name === null ? null : await findCommitOf(git, reader, path, name);
  return name === null || rawId === null ? null : { kind: 'branch', name, rawId };
}

/** Writes HEAD as git does, with a lock that git respects, and syncs it, which `git symbolic-ref` does not. */
async function writeHead(path: string, branch: string): Promise<void> {
  const [head, lock] = [join(path, 'HEAD'), join(path, 'HEAD.lock')];
  const file = await open(lock, 'wx');
  try {
    await file.writeFile(`ref: ${branchPrefix}${branch}\n`);
    await file.sync();
    await rename(lock, head);
  } catch (error) {
    await rm(lock, { force: true });
    throw error;
  } finally {
    await file.close();
  }
  await syncDirectory(path);
}

/** Looks a branch up without git; `unclear` is left to git. */
async function findBranch(path: string, branch: string): Promise<boolean | 'unclear'> {
  const reference = `${branchPrefix}${branch}`;
  const found = referenceNameProblem(reference) === null ? await findRef(path, reference) : 'unclear';
  return found === 'unclear' ? found : found.id !== null;
}

async function isBranch(git: GitCommands, path: string, branch: string): Promise<boolean> {
  const found = await findBranch(path, branch);
  if (found !== 'unclear') return found;
  const { exitCode } = await git.tryRun(path, ['show-ref', '--verify', '--quiet', '--', `${branchPrefix}${branch}`]);
  return exitCode === 0;
}

/** Returns whether HEAD certainly leads to no branch, so that clones check out nothing; asks no tool. */
export async function isHeadDangling(path: string): Promise<boolean> {
  const branch = await readDefaultBranch(path);
  return branch === null || (await findBranch(path, branch)) === false;
}

/** Has HEAD lead to a branch; throws VcsError `unknown-revision` when there is no such branch. */
export async function setDefaultBranch(git: GitCommands, path: string, branch: string): Promise<void> {
  if (!(await isBranch(git, path, branch))) throw new VcsError('unknown-revision', `there is no branch ${branch}`);
  await writeHead(path, branch);
}

/**
 * Has HEAD of a copy lead to a branch that exists: that of the remote's HEAD if it is known and was copied, else one of a
 * usual name, else the one with the newest commit. Leaves HEAD as it is while there is no branch.
 */
export async function chooseDefaultBranch(git: GitCommands, path: string, wished: string | null = null): Promise<void> {
  const args = ['for-each-ref', '--sort=-committerdate', '--format=%(refname)', branchPrefix];
  const { exitCode, stdout } = await git.tryRun(path, args);
  // Such as a branch whose commit is missing: what reads the commit tells more.
  if (exitCode !== 0) return;
  const references = stdout.toString('utf8').split('\n');
  const branches = references.flatMap((name) =>
    referenceNameProblem(name) === null ? [name.slice(branchPrefix.length)] : [],
  );
  const branch = [...(wished === null ? [] : [wished]), ...usual].find((name) => branches.includes(name));
  const chosen = branch ?? branches[0];
  if (chosen !== undefined) await writeHead(path, chosen);
}

/** Does the same unless HEAD leads to a branch that exists, which an owner may have chosen. */
export async function mendHead(git: GitCommands, path: string, wished: string | null = null): Promise<void> {
  const branch = await readDefaultBranch(path);
  if (branch !== null && (await isBranch(git, path, branch))) return;
  await chooseDefaultBranch(git, path, wished);
}

/** Does the same for a holder of the write lock: a lock of HEAD that is there was left by a dead process. */
export async function mendHeadAsWriter(git: GitCommands, path: string, wished: string | null = null): Promise<void> {
  try {
    await mendHead(git, path, wished);
  } catch (error) {
    if (!hasCode(error, 'EEXIST')) throw error;
    await removeStale(path);
    await mendHead(git, path, wished);
  }
}
