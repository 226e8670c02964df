import { writeSyncedTree } from '../../storage/write-synced-tree.ts';
import { ownConfiguration } from './own-configuration.ts';

/**
 * Makes an empty repository of what git needs to take a directory for one, and the directory of its packs, whose entry
 * is on disk before the first push; git makes every other directory when it first writes there.
 */
export async function makeEmptyGit(path: string, repositoryUuid: string): Promise<void> {
  await writeSyncedTree(path, {
    directories: ['objects', 'objects/pack', 'refs'],
    files: [
      { path: 'HEAD', content: 'ref: refs/heads/master\n' },
      { path: 'config', content: ownConfiguration(repositoryUuid) },
    ],
  });
}
