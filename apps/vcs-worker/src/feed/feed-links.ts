/** Where a page of the web side is; the path begins with a slash. */
export function linkTo(baseUrl: string, path: string): string {
  return `${baseUrl.replace(/(?<!\/)\/+$/, '')}${path}`;
}

/** The path of a repository's page, in the characters of URLs. */
export function repositoryPath(name: string, ...below: readonly string[]): string {
  return ['', ...name.split('/'), ...below].map((segment) => encodeURIComponent(segment)).join('/');
}

/** A name for good of what is at a path: the day is that on which it came to be. */
export function tagUri(baseUrl: string, day: Date, path: string): string {
  return `tag:${new URL(baseUrl).hostname},${day.toISOString().slice(0, 10)}:${path}`;
}
