import { contextLines, type DiffUrls } from './diff-urls.ts';

/** The limit of the argument `context`. */
const contextMax = 1_000_000;

/** Renders links to the same page with other options of the diff. */
export function DiffOptionLinks({ urls }: { urls: DiffUrls }) {
  const { context, ignorews } = urls.options;
  const wider = Math.min(Math.max(contextLines(context) * 2, 1), contextMax);
  return (
    <>
      <a href={urls.urlOf('changeset', { context: String(wider) })}>More context</a>
      {context !== undefined && <a href={urls.urlOf('changeset', { context: undefined })}>Default context</a>}
      {ignorews ? (
        <a href={urls.urlOf('changeset', { ignorews: false })}>Show whitespace changes</a>
      ) : (
        <a href={urls.urlOf('changeset', { ignorews: true })}>Ignore whitespace changes</a>
      )}
    </>
  );
}

/** Renders links to the same diff in other formats and with other options. */
export function DiffLinks({ urls }: { urls: DiffUrls }) {
  return (
    <p class="meta diff-links">
      <a href={urls.urlOf('changeset-diff')}>Raw diff</a>
      <a href={urls.urlOf('changeset-patch')}>Patch</a>
      <a href={urls.urlOf('changeset-download')}>Download</a>
      <DiffOptionLinks urls={urls} />
    </p>
  );
}
