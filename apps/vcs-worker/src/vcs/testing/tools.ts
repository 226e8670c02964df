import { execFile } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { hgRunner } from './hg-process.ts';

export const run = promisify(execFile);

/** Environment of a user's shell, without the user's settings of hg and git. */
export const plainEnvironment = {
  PATH: process.env['PATH'],
  HOME: '/nonexistent',
  HGRCPATH: '',
  HGPLAIN: '1',
  HGENCODING: 'utf-8',
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_AUTHOR_NAME: 'Ann',
  GIT_AUTHOR_EMAIL: 'ann@example.com',
  GIT_COMMITTER_NAME: 'Ann',
  GIT_COMMITTER_EMAIL: 'ann@example.com',
  TZ: 'UTC',
};

function commandIn(variable: string, fallback: string): readonly string[] {
  const words: unknown = JSON.parse(process.env[variable] ?? '[]');
  return Array.isArray(words) && words.length > 0 ? words.map(String) : [fallback];
}

/** Commands that the bootstrap found: workers themselves search only the system's directories. */
export const gitCommand = commandIn('TRUNKLINE_GIT_COMMAND', 'git');
export const hgCommand = commandIn('TRUNKLINE_HG_COMMAND', 'hg');

function tool(name: string) {
  return async (cwd: string, ...args: string[]): Promise<string> => {
    const { stdout } = await run(name, args, { cwd, env: plainEnvironment, maxBuffer: 1 << 28 });
    return stdout.trim();
  };
}

export const git = tool('git');
const runHg = hgRunner(['hg'], plainEnvironment);

export async function hg(cwd: string, ...args: string[]): Promise<string> {
  return (await runHg(cwd, ...args)).trim();
}

export async function writeFiles(directory: string, files: Readonly<Record<string, string>>): Promise<void> {
  for (const [name, content] of Object.entries(files)) {
    await mkdir(dirname(join(directory, name)), { recursive: true });
    await writeFile(join(directory, name), content);
  }
}

export async function commitGit(directory: string, files: Readonly<Record<string, string>>): Promise<string> {
  await writeFiles(directory, files);
  await git(directory, 'add', '-A');
  await git(directory, 'commit', '-q', '--allow-empty', '-m', 'change');
  return git(directory, 'rev-parse', 'HEAD');
}

/** Commits files, now or at a date as `-d` takes it; returns the full id. */
export async function commitHg(
  directory: string,
  files: Readonly<Record<string, string>>,
  date?: string,
): Promise<string> {
  await writeFiles(directory, files);
  await hg(directory, 'addremove', '-q');
  const dated = date === undefined ? [] : ['-d', date];
  await hg(directory, 'commit', '-q', '-m', 'change', '-u', 'Ann <ann@example.com>', ...dated);
  return hg(directory, 'log', '-r', '.', '-T', '{node}');
}
