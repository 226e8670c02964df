import { getMimeType } from 'hono/utils/mime';

/** What browsers draw themselves; nothing else of a repository is shown to them as anything but text. */
const images: ReadonlyMap<string, string> = new Map([
  ['ico', 'image/x-icon'],
  ['png', 'image/png'],
  ['gif', 'image/gif'],
  ['jpg', 'image/jpeg'],
  ['jpeg', 'image/jpeg'],
  ['svg', 'image/svg+xml'],
]);

export const plainText = 'text/plain; charset=utf-8';
const anyBytes = 'application/octet-stream';

/** How a file is shown in place; null for the type when it is to be saved instead. */
export function inlineType(fileName: string, isBinary: boolean): string | null {
  const extension = fileName.slice(fileName.lastIndexOf('.') + 1).toLowerCase();
  return images.get(extension) ?? (isBinary ? null : plainText);
}

/** The type under which a file is saved. */
export function savedType(fileName: string): string {
  return getMimeType(fileName) ?? anyBytes;
}

export { anyBytes };
