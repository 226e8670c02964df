import { NotFoundError } from '@trunkline/contracts';

/**
 * The revisions on both sides of `a...b`; a missing first one means the oldest changeset, a missing last one the
 * newest.
 */
export interface ChangesetRange {
  readonly from: string;
  readonly to: string;
}

/** The range that an address names; null when it names a single changeset. */
export function parseRange(revision: string): ChangesetRange | null {
  const [from = '', to, ...more] = revision.split('...');
  if (to === undefined) return null;
  if (more.length > 0) throw new NotFoundError(`Unknown revision ${revision}`);
  return { from, to };
}
