import { mkdir, open, type FileHandle } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { syncDirectory } from './durable.ts';

/** A small tree, by paths relative to its root; a directory comes after the one that contains it. */
export interface SmallTree {
  readonly directories: readonly string[];
  readonly files: readonly { readonly path: string; readonly content: string | Uint8Array }[];
}

/**
 * Writes a tree to a path that does not exist yet, so that all of it survives a power failure. Synced are its files, and
 * the directories that contain something: an empty one exists as soon as its entry does.
 */
export async function writeSyncedTree(root: string, { directories, files }: SmallTree): Promise<void> {
  await mkdir(root);
  for (const directory of directories) await mkdir(join(root, directory));
  const containing = new Set([...directories, ...files.map(({ path }) => path)].map((path) => dirname(path)));
  const written: FileHandle[] = [];
  try {
    for (const { path, content } of files) {
      const file = await open(join(root, path), 'wx');
      written.push(file);
      await file.writeFile(content);
    }
    await Promise.all([
      ...written.map((file) => file.sync()),
      ...[...containing].map((directory) => syncDirectory(join(root, directory))),
    ]);
  } finally {
    await Promise.all(written.map((file) => file.close()));
  }
}
