import { isUtf8 } from 'node:buffer';
import type { Readable } from 'node:stream';
import type { ResultOfMethod, Served } from '@trunkline/contracts';
import { isTextType, mediaTypeOf } from '@trunkline/runtime';
import { decodeText, nameBytes } from '@trunkline/runtime/text';

/**
 * Images that browsers display; other files are served as text or as downloads. No script in an SVG runs, because
 * `contentHeaders` puts content into a sandbox.
 */
const images: ReadonlySet<string> = new Set([
  'image/avif',
  'image/bmp',
  'image/gif',
  'image/jpeg',
  'image/png',
  'image/svg+xml',
  'image/webp',
  'image/x-icon',
]);

/** Returns a content type of text, with a charset if all of the text is known to be UTF-8. */
function textType(type: string, isKnownUtf8: boolean): string {
  return isKnownUtf8 ? `${type}; charset=utf-8` : type;
}

/** Returns the content type of a text that is sent as plain text; of a stream it is not known whether it is UTF-8. */
export function plainText(body: Uint8Array | Readable): string {
  return textType('text/plain', body instanceof Uint8Array && isUtf8(body));
}

/** What a worker says of a file; `utf8` is absent in answers of earlier releases. */
export type FileHead = Omit<ResultOfMethod<Served['download_file']>['head'], 'rawId'>;

const anyBytes = 'application/octet-stream';

function imageType(fileName: string): string | undefined {
  const type = mediaTypeOf(fileName);
  return type !== undefined && images.has(type) ? type : undefined;
}

/** Returns whether browsers display a file of this name as an image. */
export function isImage(fileName: string): boolean {
  return imageType(fileName) !== undefined;
}

/** Returns the content type under which a browser displays a file; null for a file that is downloaded instead. */
export function inlineType(fileName: string, { binary, utf8 = false }: FileHead): string | null {
  return imageType(fileName) ?? (binary ? null : textType('text/plain', utf8));
}

/** Returns the content type of a download; what is binary is no text, whatever its name says. */
export function savedType(fileName: string, { binary, utf8 = false }: FileHead): string {
  const type = mediaTypeOf(fileName) ?? anyBytes;
  if (!isTextType(type)) return type;
  return binary ? anyBytes : textType(type, utf8);
}

/** Returns the Content-Disposition header (RFC 6266) of a download with any file name, which is decoded as a text is. */
export function attachment(fileName: string): string {
  // oxlint-disable-next-line no-control-regex -- No file should be saved under a name with control characters.
  const name = decodeText(nameBytes(fileName)).replaceAll(/[\u0000-\u001f\u007f]/g, '_');
  const plain = name.replaceAll(/[^\x20-\x7e]|["\\%]/g, '_');
  const encoded = encodeURIComponent(name).replaceAll(
    /['()*]/g,
    (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return `attachment; filename="${plain}"; filename*=UTF-8''${encoded}`;
}
