import { mkdir, readdir, rename, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { makeDurable, syncDirectory } from './durable.ts';
import { ForeignStorageError } from './foreign-storage-error.ts';
import { readMarker } from './marker.ts';

/** The directory below which every repository's bytes live. Paths in the database are relative to it. */
export interface Storage {
  readonly id: string;
  absolute(storagePath: string): string;
  /** Where an operation's attempt builds; nothing else ever writes there. */
  staging(operationId: string, attempt: number): string;
  exists(storagePath: string): Promise<boolean>;
  /** Makes what was built durable and moves it to its place. */
  publish(stagingPath: string, storagePath: string): Promise<void>;
  /** Moves a repository out of sight, at once and for good. */
  trash(storagePath: string, operationId: string): Promise<void>;
  /** Removes what earlier attempts of an operation left behind. */
  clearStaging(operationId: string): Promise<void>;
  /** Removes what lies in the trash for longer than this. */
  emptyTrash(olderThanMs: number): Promise<void>;
  /** The operations that have something in staging. */
  stagedOperations(): Promise<string[]>;
}

/** Where a repository that is created here lies; immutable and free of anything a user chose. */
export function storagePathOf(uuid: string): string {
  return `@repos/${uuid.slice(0, 2)}/${uuid}`;
}

export async function openStorage(root: string, id: string): Promise<Storage> {
  for (const directory of ['@repos', '@staging', '@trash']) await mkdir(join(root, directory), { recursive: true });

  const assertOurs = async () => {
    if ((await readMarker(root)) !== id) throw new ForeignStorageError(`the storage at ${root} is not ${id}`);
  };
  const entriesOf = (directory: string) => readdir(join(root, directory));

  return {
    id,
    absolute: (storagePath) => join(root, storagePath),
    staging: (operationId, attempt) => join(root, '@staging', `${operationId}.${attempt}`),
    exists: (storagePath) =>
      stat(join(root, storagePath)).then(
        () => true,
        () => false,
      ),
    async publish(stagingPath, storagePath) {
      await assertOurs();
      const target = join(root, storagePath);
      await makeDurable(stagingPath);
      await mkdir(dirname(target), { recursive: true });
      await rename(stagingPath, target);
      await syncDirectory(dirname(target));
    },
    async trash(storagePath, operationId) {
      await assertOurs();
      const source = join(root, storagePath);
      await rename(source, join(root, '@trash', `${Date.now()}.${operationId}`));
      await syncDirectory(dirname(source));
    },
    async clearStaging(operationId) {
      const mine = (await entriesOf('@staging')).filter((entry) => entry.startsWith(`${operationId}.`));
      // Renamed first: a writer that has not noticed its end yet loses its directory at once.
      for (const entry of mine) {
        const away = join(root, '@trash', `0.${entry}`);
        await rename(join(root, '@staging', entry), away).catch(ignoreMissing);
        await rm(away, { recursive: true, force: true });
      }
    },
    async emptyTrash(olderThanMs) {
      const limit = Date.now() - olderThanMs;
      for (const entry of await entriesOf('@trash')) {
        if (Number.parseInt(entry, 10) <= limit)
          await rm(join(root, '@trash', entry), { recursive: true, force: true });
      }
    },
    async stagedOperations() {
      return [...new Set((await entriesOf('@staging')).map((entry) => entry.slice(0, entry.lastIndexOf('.'))))];
    },
  };
}

function ignoreMissing(error: unknown): void {
  if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT')) throw error;
}
