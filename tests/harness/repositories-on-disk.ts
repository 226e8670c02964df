import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { git, hg } from './remotes.ts';
import { author, mainBranch, someFile } from './unique-name.ts';

/** Makes a Mercurial repository with one changeset, as a user would; returns the id of the changeset. */
export async function makeHgOnDisk(directory: string): Promise<string> {
  await mkdir(directory, { recursive: true });
  await hg(directory, 'init', '.');
  await writeFile(join(directory, someFile), directory);
  await hg(directory, 'commit', '-q', '-A', '-m', 'first', '-u', author.full);
  return (await hg(directory, 'log', '-r', 'tip', '-T', '{node}')).trim();
}

/** Makes a git repository with a work tree and one commit; returns the id of the commit. */
export async function makeGitOnDisk(directory: string): Promise<string> {
  await mkdir(directory, { recursive: true });
  await git(directory, 'init', '-q', '-b', mainBranch, '.');
  await writeFile(join(directory, someFile), directory);
  await git(directory, 'add', '-A');
  await git(directory, 'commit', '-q', '-m', 'first');
  return (await git(directory, 'rev-parse', 'HEAD')).trim();
}

/** Makes a bare git repository with one commit; returns the id of the commit. */
export async function makeBareGitOnDisk(directory: string): Promise<string> {
  const source = await mkdtemp(join(tmpdir(), 'trunkline-bare-'));
  try {
    const rawId = await makeGitOnDisk(join(source, 'work'));
    await mkdir(directory, { recursive: true });
    await git(source, 'clone', '-q', '--bare', 'work', directory);
    return rawId;
  } finally {
    await rm(source, { recursive: true, force: true });
  }
}

export const makeOnDisk = { hg: makeHgOnDisk, git: makeGitOnDisk, 'bare git': makeBareGitOnDisk } as const;
