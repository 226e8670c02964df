/**
 * The segments of a request's path, each decoded exactly once; null for a malformed path. An escaped slash stays inside
 * its segment; empty segments at the ends do not count.
 */
export function pathSegments(requestTarget: string): readonly string[] | null {
  const [path = ''] = requestTarget.split(/[?#]/, 1);
  if (path === '/') return [];
  const raw = path.replace(/^\//, '').replace(/\/$/, '');
  try {
    const segments = raw.split('/').map((segment) => decodeURIComponent(segment));
    return segments.some((segment) => segment === '' || segment.includes('\0')) ? null : segments;
  } catch {
    return null;
  }
}

/** A path with its segments escaped, which `pathSegments` reads back unchanged. */
export function pathTo(...segments: readonly string[]): string {
  return `/${segments.map((segment) => segment.split('/').map(encodeURIComponent).join('/')).join('/')}`;
}
