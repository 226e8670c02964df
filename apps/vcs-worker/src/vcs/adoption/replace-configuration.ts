import { constants } from 'node:fs';
import { link, open, rename } from 'node:fs/promises';
import { dirname } from 'node:path';
import { syncDirectory } from '../../storage/durable.ts';
import { hasCode } from '../../has-code.ts';

const { O_WRONLY, O_CREAT, O_TRUNC, O_NOFOLLOW } = constants;

/** Where the configuration stays that a repository came with. */
export function beforeAdoption(path: string): string {
  return `${path}.before-adoption`;
}

/** Puts ours in the place of a configuration, at once; the one that was there first is kept. May be repeated. */
export async function replaceConfiguration(path: string, text: string): Promise<void> {
  try {
    await link(path, beforeAdoption(path));
  } catch (error) {
    if (!hasCode(error, 'EEXIST', 'ENOENT')) throw error;
  }
  const fresh = `${path}.adopting`;
  const handle = await open(fresh, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW, 0o644);
  try {
    await handle.writeFile(text);
    await handle.sync();
  } finally {
    await handle.close();
  }
  await rename(fresh, path);
  await syncDirectory(dirname(path));
}
