/** An object with several pages, one for each of its parts. */
export interface TabbedPages {
  readonly heading: string;
  /** The path of the first part, which is the prefix of the other parts' paths. */
  readonly path: string;
  /** Labels by the last segment of the path; the first part's is empty. */
  readonly parts: Readonly<Record<string, string>>;
}

/** The path of a part: of its page, and of the forms on it. */
export function partPath({ path }: Pick<TabbedPages, 'path'>, part: string): string {
  return part === '' ? path : `${path}/${part}`;
}

export function partLinks(tabbed: TabbedPages): [title: string, path: string][] {
  return Object.entries(tabbed.parts).map(([part, title]) => [title, partPath(tabbed, part)]);
}
