/** The URL of a page; the path begins with a slash. */
export function linkTo(baseUrl: string, path: string): string {
  return `${baseUrl.replace(/(?<!\/)\/+$/, '')}${path}`;
}

/** The path of a repository's page, in the characters of URLs. */
export function repositoryPath(name: string, ...below: readonly string[]): string {
  return ['', ...name.split('/'), ...below].map((segment) => encodeURIComponent(segment)).join('/');
}

/** A `tag:` URI (RFC 4151) of the object at a path; the day is that of its creation. */
export function tagUri(baseUrl: string, day: Date, path: string): string {
  return `tag:${new URL(baseUrl).hostname},${day.toISOString().slice(0, 10)}:${path}`;
}
