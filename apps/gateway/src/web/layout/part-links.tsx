interface Props {
  readonly className: 'sidebar' | 'tabs';
  readonly label: string;
  /** Paths by their titles. */
  readonly links: readonly (readonly [title: string, path: string])[];
  /** The path of the current page, or of the page that it belongs to. */
  readonly current: string;
}

/** Links to pages that belong together. */
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
