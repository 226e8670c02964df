import { randomUUID } from 'node:crypto';
import { open, rm, type FileHandle } from 'node:fs/promises';
import { join } from 'node:path';

/** Opens a new file without a name in a directory: the kernel removes it with this process, however that ends. */
export async function openNamelessFile(directory: string): Promise<FileHandle> {
  const path = join(directory, randomUUID());
  const file = await open(path, 'wx+', 0o600);
  try {
    await rm(path);
    return file;
  } catch (error) {
    await file.close();
    throw error;
  }
}
