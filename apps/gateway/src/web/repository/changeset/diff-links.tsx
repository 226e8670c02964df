import { contextOf, type DiffPaths } from './diff-paths.ts';

const contextMax = 1_000_000;

/** The same diff in other forms. */
export function DiffLinks({ paths }: { paths: DiffPaths }) {
  const { context, ignorews } = paths.options;
  const wider = Math.min(Math.max(contextOf(context) * 2, 1), contextMax);
  return (
    <p class="meta diff-links">
      <a href={paths.to('changeset-diff')}>Raw diff</a>
      <a href={paths.to('changeset-patch')}>Patch</a>
      <a href={paths.to('changeset-download')}>Download</a>
      <a href={paths.to('changeset', { context: String(wider) })}>More lines around</a>
      {context !== undefined && <a href={paths.to('changeset', { context: undefined })}>Usual lines around</a>}
      {ignorews ? (
        <a href={paths.to('changeset', { ignorews: false })}>Show white space</a>
      ) : (
        <a href={paths.to('changeset', { ignorews: true })}>Ignore white space</a>
      )}
    </p>
  );
}
