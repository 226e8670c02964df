/** An object with several pages, one for each of its parts. */
export interface TabbedPages {
  readonly heading: string;
  /** The path of the first part, which is the prefix of the other parts' paths. */
  readonly path: string;
  /** Labels of the parts by the last segments of their paths; the first part's segment is empty. */
  readonly parts: Readonly<Record<string, string>>;
}

/** Returns the path of a part's page, to which the forms on the page are posted, too. */
export function partPath({ path }: Pick<TabbedPages, 'path'>, part: string): string {
  return part === '' ? path : `${path}/${part}`;
}

export function partLinks(tabbed: TabbedPages): [title: string, path: string][] {
  return Object.entries(tabbed.parts).map(([part, title]) => [title, partPath(tabbed, part)]);
}

interface Props {
  readonly className: 'sidebar' | 'tabs';
  readonly label: string;
  /** Titles and paths of the pages. */
  readonly links: readonly (readonly [title: string, path: string])[];
  /** The path of the current page, or of the page that the current one belongs to. */
  readonly current: string;
}

/** Renders links to pages that belong together, and marks the current one. */
export function PartLinks({ className, label, links, current }: Props) {
  return (
    <nav class={className} aria-label={label}>
      {links.map(([title, path]) => (
        <a href={path} {...(path === current ? { 'aria-current': 'page' } : {})}>
          {title}
        </a>
      ))}
    </nav>
  );
}
