/** Error for a new repository for which no storage has space. */
export class StorageFullError extends Error {
  override readonly name = 'StorageFullError';
}
