import type { Visit } from '../../visit.ts';
import { diffArgsOf, diffOptionsOf, revisionOf, sentOptions } from '../changeset/diff-urls.tsx';
import { parseComparison, type ChangesetRange } from '../changeset/read-range.ts';
import type { PageAddress } from '../repository-page.ts';

/** Returns the name of the other repository of a comparison, as Kallithea or RhodeCode send it; null for none. */
export function otherRepository({ query }: Pick<Visit, 'query'>): string | null {
  return (query.get('other_repo') ?? query.get('target_repo'))?.trim() || null;
}

/** Returns the arguments of what compares two revisions, the second of which may be one of another repository. */
export function comparisonArgs(visit: Pick<Visit, 'query'>, { repoid }: PageAddress, { from, to }: ChangesetRange) {
  const other = otherRepository(visit);
  return { repoid, from, to, ...(other !== null && { other_repoid: other }) };
}

/** Opens the diff that an address names: of a changeset, or between the newest common ancestor of two and the second. */
export async function openDiff(visit: Visit, address: PageAddress) {
  const range = parseComparison(revisionOf(address));
  if (!range) return visit.worker.open('download_diff', diffArgsOf(visit, address));
  const options = sentOptions({ ...diffOptionsOf(visit.query), parent: undefined });
  return visit.worker.open('download_comparison', { ...options, ...comparisonArgs(visit, address, range) });
}
