import { open, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { syncDirectory } from '../../storage/durable.ts';
import { VcsError } from '../vcs-error.ts';
import type { GitCommands } from './git-commands.ts';

const prefix = 'refs/heads/';

/** Returns the branch to which HEAD leads; null for a HEAD that names a commit or no branch. */
export async function readDefaultBranch(path: string): Promise<string | null> {
  const [, branch] = /^ref: refs\/heads\/(.+)\n$/.exec(await readFile(join(path, 'HEAD'), 'utf8')) ?? [];
  return branch ?? null;
}

/** Writes HEAD as git does, with a lock that git respects, and syncs it, which `git symbolic-ref` does not. */
async function writeHead(path: string, reference: string): Promise<void> {
  const [head, lock] = [join(path, 'HEAD'), join(path, 'HEAD.lock')];
  const file = await open(lock, 'wx');
  try {
    await file.writeFile(`ref: ${reference}\n`);
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

/** Has HEAD lead to a branch; throws VcsError `unknown-revision` when there is no such branch. */
export async function setDefaultBranch(git: GitCommands, path: string, branch: string): Promise<void> {
  const reference = `${prefix}${branch}`;
  const { exitCode } = await git.tryRun(path, ['show-ref', '--verify', '--quiet', '--', reference]);
  if (exitCode !== 0) throw new VcsError('unknown-revision', `there is no branch ${branch}`);
  await writeHead(path, reference);
}
