import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { git, hg } from '../remotes.ts';

async function commitHg(path: string): Promise<string> {
  await writeFile(join(path, 'more'), 'more');
  await hg(path, 'commit', '-q', '-A', '-m', 'second', '-u', 'Ann <ann@example.com>');
  return (await hg(path, 'log', '-r', 'tip', '-T', '{node}')).trim();
}

async function commitGit(path: string): Promise<string> {
  const work = await mkdtemp(join(tmpdir(), 'trunkline-work-'));
  try {
    await git(work, 'clone', '-q', path, '.');
    await writeFile(join(work, 'more'), 'more');
    await git(work, 'add', '-A');
    await git(work, 'commit', '-q', '-m', 'second');
    await git(work, 'push', '-q', 'origin', 'HEAD');
    return (await git(work, 'rev-parse', 'HEAD')).trim();
  } finally {
    await rm(work, { recursive: true, force: true });
  }
}

/** Adds a changeset to a repository of the other program, as a push there would; returns its id. */
export const commitMore = { hg: commitHg, git: commitGit } as const;
