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

/** The file may be large: it is read piece by piece. No name of a reference holds a space. */
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

async function saysAnything(path: string): Promise<boolean> {
  // A `#` begins a comment.
  return /^[^#\s]/m.test((await readPlainFile(path)) ?? '');
}

/** Refuses what makes git show another history than that of its commits, or end it before its beginning. */
export async function requireOwnHistory(path: string): Promise<void> {
  if ((await hasLooseReplacements(path)) || (await hasPackedReplacements(path))) {
    throw notAdoptable(`it replaces objects by others (\`${replaceReferences}\`)`);
  }
  if (await saysAnything(join(path, 'info/grafts'))) {
    throw notAdoptable('it gives commits other parents (`info/grafts`)');
  }
  if (await saysAnything(join(path, 'shallow'))) {
    throw notAdoptable('it is a shallow clone: changesets are missing');
  }
}
