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
