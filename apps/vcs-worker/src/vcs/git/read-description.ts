import { join } from 'node:path';
import { readBeginning, type Beginning } from '../adoption/read-plain-file.ts';

/** Limit of bytes that are read; no description that Trunkline stores is longer. */
const bytesMax = 32 * 1024;

/** Texts that git itself writes to a new repository's `description`, today and before version 1.7. */
const placeholders = new Set([
  "Unnamed repository; edit this file 'description' to name the repository.",
  'Unnamed repository; edit this file to name it for gitweb.',
]);

/** Decodes UTF-8 that may be cut off in the middle of a character; returns null for invalid bytes. */
function decode({ bytes, isWhole }: Beginning): string | null {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes, { stream: !isWhole });
  } catch {
    return null;
  }
}

/** Returns the text of git's `description` file; null when it is missing, empty, git's own text or not displayable. */
export async function readDescription(path: string): Promise<string | null> {
  const beginning = await readBeginning(join(path, 'description'), bytesMax);
  const text = (beginning && decode(beginning))?.replaceAll('\r\n', '\n').trim() ?? '';
  const hasControls = /[^\P{Cc}\t\n]/u.test(text);
  return text === '' || hasControls || placeholders.has(text) ? null : text;
}
