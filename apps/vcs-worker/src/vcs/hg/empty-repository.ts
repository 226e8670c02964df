import { readdir, readFile, rm } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { SingleFlight } from '@trunkline/runtime/concurrency';
import { writeSyncedTree, type SmallTree } from '../../storage/write-synced-tree.ts';
import { VcsError } from '../vcs-error.ts';
import { ownConfiguration } from './adopt-hg.ts';

const entriesMax = 100;
const configuration = '.hg/hgrc';

/** Reads a tree into memory. */
async function readTree(root: string): Promise<SmallTree> {
  const entries = await readdir(root, { recursive: true, withFileTypes: true });
  if (entries.length > entriesMax) throw new VcsError('failed', `hg init made ${entries.length} entries`);
  const pathOf = (entry: (typeof entries)[number]) => relative(root, join(entry.parentPath, entry.name));
  const files = entries.filter((entry) => entry.isFile()).map(pathOf);
  return {
    directories: entries
      .filter((entry) => entry.isDirectory())
      .map(pathOf)
      .toSorted(),
    files: await Promise.all(files.map(async (path) => ({ path, content: await readFile(join(root, path)) }))),
  };
}

/**
 * Returns a function that makes an empty repository as a copy of one that the installed Mercurial has made once, at
 * `path`: the format of repositories is Mercurial's own matter.
 */
export function makeEmptyHg(path: string, init: (path: string) => Promise<void>) {
  const making = new SingleFlight<SmallTree>();
  let template: SmallTree | undefined;

  const makeTemplate = async (): Promise<SmallTree> => {
    try {
      await init(path);
      return (template = await readTree(path));
    } finally {
      await rm(path, { recursive: true, force: true });
    }
  };

  return async (target: string, repositoryUuid: string): Promise<void> => {
    const { directories, files } = template ?? (await making.run('', makeTemplate));
    const own = { path: configuration, content: ownConfiguration(repositoryUuid) };
    await writeSyncedTree(target, { directories, files: [...files, own] });
  };
}
