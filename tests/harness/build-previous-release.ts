import { execFile } from 'node:child_process';
import { createHash, randomUUID } from 'node:crypto';
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { linkModules } from './link-modules.ts';
import { previousRelease } from './previous-release.ts';
import { toolCommand } from './tool-command.ts';

const run = promisify(execFile);
const root = fileURLToPath(new URL('../..', import.meta.url));
/** Ignored by git, as all that the bootstrap writes. */
const target = join(root, '.bootstrap', 'previous-release');
/** What gateways and workers consist of, each after what it needs. */
const packages = ['packages/contracts', 'packages/db', 'packages/runtime', 'apps/gateway', 'apps/vcs-worker'];

async function git(...args: string[]): Promise<void> {
  const [file, ...prefix] = toolCommand('TRUNKLINE_GIT_COMMAND', 'git');
  // The checkout may belong to another user than the tests run as.
  await run(file, [...prefix, '-c', 'safe.directory=*', '-C', root, ...args]);
}

/** Returns whether the history of this checkout has the commit. */
async function hasCommit(): Promise<boolean> {
  return git('cat-file', '-e', `${previousRelease.commit}^{tree}`).then(
    () => true,
    () => false,
  );
}

/** Installs the packages of a checkout; returns whether the registry could be reached. */
async function install(directory: string): Promise<boolean> {
  const { pnpmVersion }: { pnpmVersion: string } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'));
  const args = ['install', '--frozen-lockfile', '--prefer-offline', '--ignore-scripts'];
  return run('npx', ['-y', `pnpm@${pnpmVersion}`, ...args], { cwd: directory }).then(
    () => true,
    () => false,
  );
}

/** Builds the release in an empty directory; returns false when its packages can neither be shared nor installed. */
async function buildIn(directory: string): Promise<boolean> {
  const archive = join(directory, 'release.tar');
  await git('archive', '--format=tar', `--output=${archive}`, previousRelease.commit);
  await run('tar', ['-xf', archive, '--no-same-owner', '-C', directory]);
  await rm(archive);
  if (!(await linkModules(root, directory, packages)) && !(await install(directory))) return false;
  const compiler = join(directory, 'node_modules/typescript/bin/tsc');
  // Its types were checked before it was released; other tests run meanwhile.
  const args = ['-b', 'apps/gateway', 'apps/vcs-worker', '--noCheck', '--singleThreaded'];
  await run(process.execPath, [compiler, ...args], { cwd: directory });
  return true;
}

/**
 * Builds the previous release from its commit, once for each checkout and its installed packages. Returns the directory,
 * or why this checkout cannot have it.
 */
export async function buildPreviousRelease(): Promise<{ readonly directory: string } | { readonly missing: string }> {
  const { commit, version } = previousRelease;
  if (!(await hasCommit())) return { missing: `The history of this checkout lacks ${commit}, release ${version}.` };
  const lockfile = await readFile(join(root, 'pnpm-lock.yaml'));
  const key = createHash('sha256').update(commit).update(lockfile).digest('hex');
  const stamp = 'built-from';
  if ((await readFile(join(target, stamp), 'utf8').catch(() => null)) === key) return { directory: target };
  const directory = `${target}.${randomUUID()}`;
  await mkdir(directory, { recursive: true });
  try {
    if (!(await buildIn(directory))) return { missing: `The packages of release ${version} could not be installed.` };
    await writeFile(join(directory, stamp), key);
    await rm(target, { recursive: true, force: true });
    await rename(directory, target);
    return { directory: target };
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}
