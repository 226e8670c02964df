import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { git } from '../../harness/remotes.ts';
import { mainBranch, someFile } from '../../harness/unique-name.ts';

/** Runs the git of this machine, which prepares what clients push and checks what they have got. */
export const ownGit = git;

export async function commitFile(path: string, content: string, message = `says ${content.slice(0, 20)}`) {
  await writeFile(join(path, someFile), content);
  await ownGit(path, 'add', '-A');
  await ownGit(path, 'commit', '-q', '-m', message);
  return (await ownGit(path, 'rev-parse', 'HEAD')).trim();
}

/** Makes a work tree with some commits on the main branch. */
export async function makeWorkTree(path: string, commits = 3): Promise<void> {
  await ownGit('/', 'init', '-q', '-b', mainBranch, path);
  for (let at = 0; at < commits; at += 1) await commitFile(path, `commit ${at} ${'x'.repeat(at * 1_000)}`);
}

/** Returns the ids of all objects that these revisions reach, after a check of the repository. */
export async function objectsOf(path: string, ...revisions: string[]): Promise<string[]> {
  await ownGit(path, 'fsck', '--strict', '--no-dangling');
  const listed = await ownGit(path, 'rev-list', '--objects', ...revisions);
  return listed
    .split('\n')
    .map((line) => line.slice(0, 40))
    .filter(Boolean)
    .toSorted();
}

/** Returns the references of a remote by name. */
export async function refsAt(url: string): Promise<Record<string, string>> {
  const lines = (await ownGit('/', 'ls-remote', '-q', url)).split('\n').filter(Boolean);
  return Object.fromEntries(lines.map((line) => line.split('\t').toReversed()));
}
