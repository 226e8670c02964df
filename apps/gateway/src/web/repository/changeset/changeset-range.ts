import { NotFoundError } from '@trunkline/contracts';

/** The revisions on both sides of `a...b`; an empty `from` means the oldest changeset, an empty `to` the newest. */
export interface ChangesetRange {
  readonly from: string;
  readonly to: string;
}

/** Returns the range that a page address names; null for a single revision. Throws NotFoundError for more than two. */
export function parseRange(revision: string): ChangesetRange | null {
  const [from = '', to, ...more] = revision.split('...');
  if (to === undefined) return null;
  if (more.length > 0) throw new NotFoundError(`Unknown revision ${revision}`);
  return { from, to };
}
