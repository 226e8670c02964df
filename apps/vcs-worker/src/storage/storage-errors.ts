import { hasCode } from '../has-code.ts';

/** Error for a directory that is not the storage that the database knows: unmounted, or another instance's. */
export class ForeignStorageError extends Error {
  override readonly name = 'ForeignStorageError';
}

/** Error for a new repository for which no storage has space. */
export class StorageFullError extends Error {
  override readonly name = 'StorageFullError';
}

/** Ignores that a file system became read-only; throws any other error. */
export function ignoreReadOnly(error: unknown): void {
  if (!hasCode(error, 'EROFS')) throw error;
}
