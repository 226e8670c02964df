import { execFile } from 'node:child_process';
import { createHash, randomUUID } from 'node:crypto';
import { access, constants, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { linkModules } from './link-modules.ts';
import { previousRelease } from './previous-release.ts';
import { toolCommand } from './tool-command.ts';

const run = promisify(execFile);
const root = fileURLToPath(new URL('../..', import.meta.url));
const stamp = 'built-from';
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

/** Returns the directory for builds: where the bootstrap writes, or a user's own when the checkout is another user's. */
async function buildsDirectory(): Promise<string> {
  const inCheckout = join(root, '.bootstrap');
  const isWritable = await access(root, constants.W_OK).then(
    () => true,
    () => false,
  );
  return isWritable ? inCheckout : join(process.env['XDG_CACHE_HOME'] || join(homedir(), '.cache'), 'trunkline');
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
  const key = createHash('sha256').update(`${root} ${commit}`).update(lockfile).digest('hex');
  const target = join(await buildsDirectory(), 'previous-release');
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
