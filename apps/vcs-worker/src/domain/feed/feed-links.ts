/** Returns the URL of a page; the path begins with a slash. */
export function linkTo(baseUrl: string, path: string): string {
  // Without the lookbehind the search would start anew at each slash of a long run.
  return `${baseUrl.replace(/(?<!\/)\/+$/, '')}${path}`;
}

/** Returns the path of a repository's page, percent-encoded for a URL. */
export function repositoryPath(name: string, ...below: readonly string[]): string {
  return ['', ...name.split('/'), ...below].map((segment) => encodeURIComponent(segment)).join('/');
}

/** Returns a `tag:` URI (RFC 4151) of the object at a path; the day is that of the object's creation. */
export function tagUri(baseUrl: string, day: Date, path: string): string {
  return `tag:${new URL(baseUrl).hostname},${day.toISOString().slice(0, 10)}:${path}`;
}
