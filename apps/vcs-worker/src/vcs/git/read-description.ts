import { join } from 'node:path';
import { readBeginning, type Beginning } from '../adoption/read-plain-file.ts';

/** No description that the service stores takes more bytes. */
const bytesMax = 32 * 1024;

/** What git itself writes there, today and before version 1.7. */
const placeholders = new Set([
  "Unnamed repository; edit this file 'description' to name the repository.",
  'Unnamed repository; edit this file to name it for gitweb.',
]);

/** The text of valid UTF-8, which may be cut off in the middle of a character; null for other bytes. */
function decode({ bytes, isWhole }: Beginning): string | null {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes, { stream: !isWhole });
  } catch {
    return null;
  }
}

/** The text of git's `description` file; null where nobody has written any, or none that can be shown. */
export async function readDescription(path: string): Promise<string | null> {
  const beginning = await readBeginning(join(path, 'description'), bytesMax);
  const text = (beginning && decode(beginning))?.replaceAll('\r\n', '\n').trim() ?? '';
  const hasControls = /[^\P{Cc}\t\n]/u.test(text);
  return text === '' || hasControls || placeholders.has(text) ? null : text;
}
