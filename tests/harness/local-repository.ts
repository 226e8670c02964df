import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { git, hg } from './remotes.ts';
import { author, mainBranch, someMessage } from './unique-name.ts';

/** Makes an empty repository with a work tree. */
export async function initRepository(path: string, type: 'hg' | 'git'): Promise<void> {
  await mkdir(path);
  await (type === 'git' ? git(path, 'init', '-q', '-b', mainBranch, '.') : hg(path, 'init', '.'));
}

/** Commits files in a work tree. */
export async function commitFiles(
  path: string,
  type: 'hg' | 'git',
  files: Readonly<Record<string, string>>,
): Promise<void> {
  for (const [name, content] of Object.entries(files)) await writeFile(join(path, name), content);
  if (type === 'git') {
    await git(path, 'add', '-A');
    await git(path, 'commit', '-q', '-m', someMessage);
  } else await hg(path, 'commit', '-q', '-A', '-m', someMessage, '-u', author.full);
}
