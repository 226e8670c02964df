import { arch, release, type } from 'node:os';
import { serviceVersion, type StorageHealth } from '@trunkline/runtime';
import { listLibraries } from '../../serve/start/libraries.ts';
import { findDamaged } from '../../jobs/storage-jobs/verification-store.ts';
import type { VcsBackend } from '../../vcs/backend.ts';
import { VcsError } from '../../vcs/vcs-error.ts';
import type { MethodHandler } from '../context.ts';

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
