import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

/** Name of the file in the root of a storage that has the storage's id. */
export const markerName = '.trunkline-storage';

/** Reads the id in a storage's marker file; null when the file cannot be read. */
export async function readMarker(root: string): Promise<string | null> {
  try {
    return (await readFile(join(root, markerName), 'utf8')).trim();
  } catch {
    return null;
  }
}
