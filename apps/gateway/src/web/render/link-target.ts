import { posix } from 'node:path';
import { decodeName, encodeName } from '@trunkline/runtime/text';
import { documentFormatOf } from './document-format.ts';
import type { DocumentBase } from './render-task.ts';

const urlMax = 2_000;
const idPrefix = 'doc-';

/** Returns an id with a prefix, so that it cannot collide with ids of the page itself. */
export function prefixedId(slug: string): string {
  return `${idPrefix}${slug}`;
}

function schemeOf(url: string): string | undefined {
  return /^([a-z][a-z0-9+.-]*):/i.exec(url)?.[1]?.toLowerCase();
}

/**
 * Returns whether a URL's length and scheme are allowed in links and images. A URL without a scheme is allowed, since
 * such a URL leads into the repository or, over the page's own scheme, to a host.
 */
export function isAllowedUrl(url: string): boolean {
  const scheme = schemeOf(url);
  return url.length <= urlMax && (scheme === undefined || ['http', 'https', 'mailto'].includes(scheme));
}

function decoded(path: string): string {
  return decodeName(path) ?? path;
}

/** Returns whether a URL leads out of the repository. */
export function isElsewhere(url: string): boolean {
  return schemeOf(url) !== undefined || url.startsWith('//');
}

/** Resolves `.` and `..` of a decoded path below the repository's root, so that no dots are left for the browser. */
function fileTarget(base: string, directory: string, path: string): string {
  const from = path.startsWith('/') ? '/' : `/${directory}/`;
  const normal = posix.normalize(from + decoded(path));
  return base + normal.split('/').filter(Boolean).map(encodeName).join('/');
}

function parts(url: string): { path: string; fragment: string } {
  const [beforeFragment = '', ...fragment] = url.split('#');
  const [path = ''] = beforeFragment.split('?', 1);
  return { path, fragment: fragment.join('#') };
}

function fragmentTarget(path: string, fragment: string): string {
  if (fragment === '') return '';
  // Ids in documents are prefixed, a directory's README included; ids of lines in sources are not.
  const isDocument = path === '' || path.endsWith('/') || documentFormatOf(path) !== null;
  const name = isDocument ? prefixedId(decoded(fragment)) : decoded(fragment);
  return `#${encodeURIComponent(name)}`;
}

/** Returns the URL of a link in a document. */
export function linkTarget(url: string, base: DocumentBase): string {
  if (isElsewhere(url)) return url;
  const { path, fragment } = parts(url);
  const target = path === '' ? '' : fileTarget(base.linkBase, base.directory, path);
  return target + fragmentTarget(path, fragment) || '#';
}

/** Returns the URL of an image in a document; undefined for a URL that can be no image's. */
export function imageTarget(url: string, base: DocumentBase): string | undefined {
  if (schemeOf(url) === 'mailto') return undefined;
  if (isElsewhere(url)) return url;
  const { path } = parts(url);
  return path === '' ? undefined : fileTarget(base.rawBase, base.directory, path);
}

/** Returns the text for an image without alternative text: the last segment of its URL's path, or else the host. */
export function nameInAddress(url: string): string {
  const last = parts(url)
    .path.split('/')
    .findLast((segment) => segment !== '');
  return decoded(last ?? '').trim() || url;
}
