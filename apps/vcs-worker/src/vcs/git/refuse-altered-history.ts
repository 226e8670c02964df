import { constants } from 'node:fs';
import { open, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { hasCode } from '../../has-code.ts';
import { notAdoptable } from '../adoption/not-adoptable.ts';
import { readPlainFile } from '../adoption/read-plain-file.ts';

const replaceReferences = 'refs/replace';

async function hasLooseReplacements(path: string): Promise<boolean> {
  try {
    const entries = await readdir(join(path, replaceReferences), { recursive: true, withFileTypes: true });
    return entries.some((entry) => !entry.isDirectory());
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return false;
    throw error;
  }
}

/** Searches packed-refs, which may be large, chunk by chunk. A ref name contains no space, so the search is exact. */
async function hasPackedReplacements(path: string): Promise<boolean> {
  const wanted = ` ${replaceReferences}/`;
  let handle;
  try {
    handle = await open(join(path, 'packed-refs'), constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return false;
    throw error;
  }
  try {
    let rest = '';
    for await (const chunk of handle.createReadStream({ encoding: 'latin1', autoClose: false })) {
      const text = rest + String(chunk);
      if (text.includes(wanted)) return true;
      rest = text.slice(-wanted.length);
    }
    return false;
  } finally {
    await handle.close();
  }
}

async function hasEntries(path: string): Promise<boolean> {
  // A line that begins with `#` is a comment.
  return /^[^#\s]/m.test((await readPlainFile(path)) ?? '');
}

/**
 * Refuses (VcsError `not-adoptable`) a repository with replace refs, grafts or a shallow history: with these git shows
 * other commits than the real ones, or not all of them.
 */
export async function refuseAlteredHistory(path: string): Promise<void> {
  if ((await hasLooseReplacements(path)) || (await hasPackedReplacements(path))) {
    throw notAdoptable(`it replaces objects by others (\`${replaceReferences}\`)`);
  }
  if (await hasEntries(join(path, 'info/grafts'))) {
    throw notAdoptable('it gives commits other parents (`info/grafts`)');
  }
  if (await hasEntries(join(path, 'shallow'))) {
    throw notAdoptable('it is a shallow clone: changesets are missing');
  }
}
