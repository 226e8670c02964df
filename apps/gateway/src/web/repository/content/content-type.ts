import { getMimeType } from 'hono/utils/mime';

/** Image types that browsers display; all other files are served as text or as downloads. */
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

/** Whether browsers display a file of this name as an image. */
export function isImage(fileName: string): boolean {
  return imageType(fileName) !== undefined;
}

/** The content type under which a file is displayed; null when it is downloaded instead. */
export function inlineType(fileName: string, isBinary: boolean): string | null {
  return imageType(fileName) ?? (isBinary ? null : plainText);
}

/** The content type of a download. */
export function savedType(fileName: string): string {
  return getMimeType(fileName) ?? anyBytes;
}

export { anyBytes };
