import { decodeName, encodeName } from '@trunkline/runtime/text';

/**
 * Returns the segments of a request's path, each decoded exactly once; null for a malformed path, such as one with an
 * empty segment or a NUL. An escaped slash stays inside its segment; one slash at the end does not count.
 */
export function pathSegments(requestTarget: string): readonly string[] | null {
  const [path = ''] = requestTarget.split(/[?#]/, 1);
  if (path === '/') return [];
  const raw = path.replace(/^\//, '').replace(/\/$/, '');
  const segments = raw.split('/').map(decodeName);
  const isWhole = segments.every((segment): segment is string => !!segment && !segment.includes('\0'));
  return isWhole ? segments : null;
}

/**
 * Returns the path of segments, escaped except for their slashes, so that a name such as `group/repo` can be given as
 * one. A revision, which may contain a slash, needs `encodeName` instead.
 */
export function pathTo(...segments: readonly string[]): string {
  return `/${segments.map((segment) => segment.split('/').map(encodeName).join('/')).join('/')}`;
}

/**
 * Returns the address of a request without the doubled slashes in its path; null when there are none. A path that begins
 * with two is that of another host to browsers, for which a backslash is a slash, too.
 */
export function withSingleSlashes(requestTarget: string): string | null {
  const [path = ''] = requestTarget.split(/[?#]/, 1);
  if (!path.startsWith('/') || !path.includes('//')) return null;
  return path.replaceAll(/\/{2,}/g, '/').replaceAll('\\', '%5C') + requestTarget.slice(path.length);
}
