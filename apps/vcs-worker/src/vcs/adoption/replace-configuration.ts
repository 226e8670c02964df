import { constants } from 'node:fs';
import { link, open, rename } from 'node:fs/promises';
import { dirname } from 'node:path';
import { syncDirectory } from '../../storage/durable.ts';
import { hasCode } from '../../has-code.ts';

const { O_WRONLY, O_CREAT, O_TRUNC, O_NOFOLLOW } = constants;

/** Returns the path at which a repository's original configuration is kept. */
export function originalConfigurationPath(path: string): string {
  return `${path}.before-adoption`;
}

/** Atomically replaces a configuration file with Trunkline's and keeps the original beside it. May be repeated. */
export async function replaceConfiguration(path: string, text: string): Promise<void> {
  try {
    await link(path, originalConfigurationPath(path));
  } catch (error) {
    // An earlier try has kept the original (EEXIST), or there is no configuration to keep (ENOENT).
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
