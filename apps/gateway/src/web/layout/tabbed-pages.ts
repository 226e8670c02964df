/** One thing that several pages are about, each of them about a part. */
export interface TabbedPages {
  readonly heading: string;
  /** The address of the first part, with which those of the others begin. */
  readonly path: string;
  /** Labels by the last segment of the address; the first part has none. */
  readonly parts: Readonly<Record<string, string>>;
}

/** The address of a part of a tabbed: of its page, and of the forms on it. */
export function partPath({ path }: Pick<TabbedPages, 'path'>, part: string): string {
  return part === '' ? path : `${path}/${part}`;
}

export function partLinks(tabbed: TabbedPages): [title: string, path: string][] {
  return Object.entries(tabbed.parts).map(([part, title]) => [title, partPath(tabbed, part)]);
}
