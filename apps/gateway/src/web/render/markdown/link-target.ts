import { posix } from 'node:path';
import type { MarkdownBase } from '../thread/render-task.ts';

const urlMax = 2_000;
const idPrefix = 'doc-';

/** A prefixed id, which cannot collide with ids of the page itself. */
export function prefixedId(slug: string): string {
  return `${idPrefix}${slug}`;
}

function schemeOf(url: string): string | undefined {
  return /^([a-z][a-z0-9+.-]*):/i.exec(url)?.[1]?.toLowerCase();
}

/** Whether a URL's scheme is allowed in links; relative URLs are checked when their target is known. */
export function isAllowedUrl(url: string): boolean {
  const scheme = schemeOf(url);
  return url.length <= urlMax && (scheme === undefined || ['http', 'https', 'mailto'].includes(scheme));
}

function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}

/** Whether an address leads out of the repository. */
export function isElsewhere(url: string): boolean {
  return schemeOf(url) !== undefined || url.startsWith('//');
}

/** Resolves `.` and `..` of a decoded path below the repository's root, so that no dots are left for the browser. */
function fileTarget(base: string, directory: string, path: string): string {
  const from = path.startsWith('/') ? '/' : `/${directory}/`;
  const normal = posix.normalize(from + decoded(path));
  return base + normal.split('/').filter(Boolean).map(encodeURIComponent).join('/');
}

function parts(url: string): { path: string; fragment: string } {
  const [beforeFragment = '', ...fragment] = url.split('#');
  const [path = ''] = beforeFragment.split('?', 1);
  return { path, fragment: fragment.join('#') };
}

function fragmentTarget(path: string, fragment: string): string {
  if (fragment === '') return '';
  // Headings of Markdown pages have prefixed ids, lines of sources have not.
  const name = path === '' || /\.(?:md|markdown)$/i.test(path) ? prefixedId(decoded(fragment)) : decoded(fragment);
  return `#${encodeURIComponent(name)}`;
}

/** The target of a link in a Markdown file. */
export function linkTarget(url: string, base: MarkdownBase): string {
  if (isElsewhere(url)) return url;
  const { path, fragment } = parts(url);
  const target = path === '' ? '' : fileTarget(base.linkBase, base.directory, path);
  return target + fragmentTarget(path, fragment) || '#';
}

/** Where an image of a Markdown file is; undefined for what can be none. */
export function imageTarget(url: string, base: MarkdownBase): string | undefined {
  if (schemeOf(url) === 'mailto') return undefined;
  if (isElsewhere(url)) return url;
  const { path } = parts(url);
  return path === '' ? undefined : fileTarget(base.rawBase, base.directory, path);
}

/** What an address is called for want of a text: the last segment of its path, or else its host. */
export function nameInAddress(url: string): string {
  const last = parts(url)
    .path.split('/')
    .findLast((segment) => segment !== '');
  return decoded(last ?? '').trim() || url;
}
