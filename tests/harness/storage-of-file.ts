import { basename } from 'node:path';

/**
 * Returns the storage of the repositories that a test file creates: TRUNKLINE_TEST_STORAGE, else one by the name of the
 * file, so that the files use all storages, and a file the same one in each run.
 */
export function storageOfFile(path: string, storages: readonly string[], env = process.env): string | undefined {
  const chosen = storages.find((name) => name === env['TRUNKLINE_TEST_STORAGE']);
  if (chosen !== undefined) return chosen;
  const sum = Array.from(basename(path)).reduce((before, character) => before + character.charCodeAt(0), 0);
  return storages.toSorted()[sum % storages.length];
}
