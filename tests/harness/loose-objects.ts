import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { git } from './remotes.ts';

/** Returns the id of a blob of this text; with `-w`, writes it into a git repository, in which nothing leads to it. */
export async function blobOf(path: string, text: string, ...options: string[]): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'trunkline-blob-'));
  try {
    await writeFile(join(directory, 'blob'), text);
    return (await git(path, 'hash-object', ...options, join(directory, 'blob'))).trim();
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

/** Returns whether some objects of a git repository are in no pack. */
export async function hasLooseObjects(path: string): Promise<boolean> {
  const entries = await readdir(join(path, 'objects'), { recursive: true });
  return entries.some((entry) => /^[0-9a-f]{2}\/[0-9a-f]{38}$/.test(entry));
}

/** Returns whether a git repository has a blob of this text, reachable or not. */
export async function hasBlob(path: string, text: string): Promise<boolean> {
  const objects = await git(path, 'cat-file', '--batch-all-objects', '--batch-check=%(objectname)');
  return objects.includes(await blobOf(path, text));
}
