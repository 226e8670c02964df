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

function imageType(fileName: string): string | undefined {
  return images.get(fileName.slice(fileName.lastIndexOf('.') + 1).toLowerCase());
}

/** Whether browsers draw a file of this name. */
export function isImage(fileName: string): boolean {
  return imageType(fileName) !== undefined;
}

/** How a file is shown in place; null for the type when it is to be saved instead. */
export function inlineType(fileName: string, isBinary: boolean): string | null {
  return imageType(fileName) ?? (isBinary ? null : plainText);
}

/** The type under which a file is saved. */
export function savedType(fileName: string): string {
  return getMimeType(fileName) ?? anyBytes;
}

export { anyBytes };
