import { readFile, realpath } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { arch, release, type } from 'node:os';
import * as v from 'valibot';
import { serviceVersion, type StorageHealth } from '@trunkline/runtime';
import { findDamaged } from '../../jobs/storage-jobs/verification-job.ts';
import type { VcsBackend } from '../../vcs/backend.ts';
import { VcsError } from '../../vcs/vcs-error.ts';
import type { MethodHandler } from '../context.ts';

const Package = v.object({ version: v.string(), dependencies: v.optional(v.record(v.string(), v.string()), {}) });

const ownPackage = createRequire(import.meta.url).resolve('@trunkline/vcs-worker/package.json');

async function readPackage(path: string) {
  return v.parse(Package, JSON.parse(await readFile(path, 'utf8')));
}

/** Finds the package.json of a package's dependency, even when the dependency does not export it. */
async function findPackage(name: string, from: string): Promise<string> {
  for (const directory of createRequire(from).resolve.paths(name) ?? []) {
    const found = await realpath(join(directory, name, 'package.json')).catch(() => null);
    if (found) return found;
  }
  throw new Error(`${name} is not installed`);
}

async function collect(from: string, found: Map<string, string>): Promise<void> {
  const { dependencies } = await readPackage(from);
  for (const name of Object.keys(dependencies)) {
    const path = await findPackage(name, from);
    if (name.startsWith('@trunkline/')) await collect(path, found);
    else found.set(name, (await readPackage(path)).version);
  }
}

/** Lists the libraries that the worker and its packages import, with their installed versions, by name. */
export async function listLibraries(): Promise<[name: string, version: string][]> {
  const found = new Map<string, string>();
  await collect(ownPackage, found);
  return [...found].toSorted(([one], [other]) => (one < other ? -1 : 1));
}

async function versionOf(backend: VcsBackend): Promise<string | null> {
  try {
    return await backend.version();
  } catch (error) {
    if (error instanceof VcsError) return null;
    throw error;
  }
}

function toStorageRecord({ state, freeBytes, totalBytes }: StorageHealth) {
  return { state, free_bytes: freeBytes, total_bytes: totalBytes };
}

export const getServerInfo: MethodHandler<'get_server_info'> = async (
  _args,
  { db, backends: { git, hg }, storages },
) => {
  // All at once, so that disks that hang keep the call no longer than one does.
  const found = await Promise.all(
    storages.all.map(async ({ storage: { name }, watch }) => ({ name, ...toStorageRecord(await watch.probe()) })),
  );
  const [first] = found.toSorted((one, other) => Number(other.name === 'default') - Number(one.name === 'default'));
  if (!first) throw new Error('this worker has no storage');
  const { name: _name, ...storage } = first;
  return {
    trunkline_version: await serviceVersion(),
    node_version: process.versions.node,
    platform: `${type()} ${release()} ${arch()}`,
    git_version: await versionOf(git),
    git_path: git.command.join(' '),
    hg_version: await versionOf(hg),
    hg_path: hg.command.join(' '),
    storage,
    storages: found,
    verification: await findDamaged(db),
    modules: await listLibraries(),
  };
};

export const test: MethodHandler<'test'> = async ({ args }) => args;
