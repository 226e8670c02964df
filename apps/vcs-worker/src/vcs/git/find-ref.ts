import { open, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { nameBytes } from '@trunkline/runtime/text';
import { hasCode } from '../../has-code.ts';

/** What is known of a reference without git: the id of its object, or that there is none; `unclear` is left to git. */
export type FoundRef = { readonly id: string | null } | 'unclear';

const idChars = 40;
/** Larger files are searched by git, which does so without reading them. */
const packedBytesMax = 1024 * 1024;

async function readBeginning(file: Buffer): Promise<string> {
  const opened = await open(file, 'r');
  try {
    const { buffer, bytesRead } = await opened.read(Buffer.alloc(2 * idChars), 0, 2 * idChars, 0);
    return buffer.toString('latin1', 0, bytesRead);
  } finally {
    await opened.close();
  }
}

async function findPacked(path: string, ref: string): Promise<FoundRef> {
  const file = join(path, 'packed-refs');
  const { size } = await stat(file);
  if (size > packedBytesMax) return 'unclear';
  const content = await readFile(file);
  const at = content.indexOf(nameBytes(` ${ref}\n`));
  if (at < 0) return content.length === 0 || content.at(-1) === 0x0a ? { id: null } : 'unclear';
  const line = content.toString('latin1', Math.max(0, at - idChars - 1), at);
  const id = /^\n?([0-9a-f]{40})$/.exec(line)?.[1];
  return id === undefined ? 'unclear' : { id };
}

async function orAbsent(read: Promise<FoundRef>, otherwise: () => Promise<FoundRef>): Promise<FoundRef> {
  try {
    return await read;
  } catch (error) {
    return hasCode(error, 'ENOENT', 'ENOTDIR', 'EISDIR') ? otherwise() : 'unclear';
  }
}

/**
 * Looks a reference up in the files of a repository, as git does: in its own file, then in the packed ones. `ref` is a
 * full name that keeps git's rules, and is matched exactly.
 */
export async function findRef(path: string, ref: string): Promise<FoundRef> {
  const loose = async (): Promise<FoundRef> => {
    const id = /^([0-9a-f]{40})\s*$/.exec(await readBeginning(nameBytes(join(path, ref))))?.[1];
    // Such as a symbolic reference, or one that is damaged.
    return id === undefined ? 'unclear' : { id };
  };
  return orAbsent(loose(), () => orAbsent(findPacked(path, ref), async () => ({ id: null })));
}
