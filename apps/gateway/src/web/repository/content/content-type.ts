import { getMimeType } from 'hono/utils/mime';

/**
 * Content types by file extension of images that browsers display; other files are served as text or as downloads. No
 * script in an SVG runs, because `contentHeaders` puts content into a sandbox.
 */
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

/** Returns whether browsers display a file of this name as an image. */
export function isImage(fileName: string): boolean {
  return imageType(fileName) !== undefined;
}

/** Returns the content type under which a browser displays a file; null for a file that is downloaded instead. */
export function inlineType(fileName: string, isBinary: boolean): string | null {
  return imageType(fileName) ?? (isBinary ? null : plainText);
}

/** Returns the content type of a download. */
export function savedType(fileName: string): string {
  return getMimeType(fileName) ?? anyBytes;
}

/** Returns the Content-Disposition header (RFC 6266) of a download with any file name. */
export function attachment(fileName: string): string {
  const plain = fileName.replaceAll(/[^\x20-\x7e]|["\\%]/g, '_');
  const encoded = encodeURIComponent(fileName).replaceAll(
    /['()*]/g,
    (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return `attachment; filename="${plain}"; filename*=UTF-8''${encoded}`;
}

export { anyBytes };
