/** The disk is not the one the database knows: unmounted, or another instance's. */
export class ForeignStorageError extends Error {
  override readonly name = 'ForeignStorageError';
}
