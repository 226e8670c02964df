/** Error for a directory that is not the storage that the database knows: unmounted, or another instance's. */
export class ForeignStorageError extends Error {
  override readonly name = 'ForeignStorageError';
}
