import { Readable } from 'node:stream';
import { NotFoundError, OperationFailedError, type HistoryRecord } from '@trunkline/contracts';
import { ClientGoneError } from '../../../http/read-body.ts';
import type { Diff } from '../../render/diff/diff-file.ts';
import type { Visit } from '../../visit.ts';
import type { RepositoryHead } from '../repository-head.ts';
import { sentOptions, type DiffOptions } from './diff-urls.tsx';
import { readDiff, shownDiff } from './read-diff.ts';

/** The revisions on both sides of `a...b`; of a range with one side alone, the other is the oldest or newest changeset. */
export interface ChangesetRange {
  readonly from: string;
  readonly to: string;
}

/**
 * Returns the range that a page address names as `a...b` or, with both sides, `a..b`; null for a single revision. Throws
 * NotFoundError for more than two.
 */
export function parseRange(revision: string): ChangesetRange | null {
  const [from = '', to, ...more] = revision.split('...');
  if (more.length > 0) throw new NotFoundError(`Unknown revision ${revision}`);
  if (to !== undefined) return { from, to };
  const [, first, second] = /^(.+?)\.\.([^.].*)$/s.exec(revision) ?? [];
  return first === undefined || second === undefined || second.includes('..') ? null : { from: first, to: second };
}

/** Returns the range of two revisions that are compared; null for any other range and for a single revision. */
export function parseComparison(revision: string): ChangesetRange | null {
  const range = parseRange(revision);
  return range && range.from !== '' && range.to !== '' ? range : null;
}

export const perPage = 50;
/** The largest number of changesets of a range that is shown with their diffs. */
export const differencesMax = 10;

/**
 * Throws NotFoundError for a revision that does not exist, with a text for pages: `get_changesets` gives the same error
 * for that as for a repository that cannot be read. The diff is opened only for its error.
 */
async function requireRevision({ worker }: Visit, repoid: number, revision: string): Promise<void> {
  const { body } = await worker.open('download_diff', { repoid, revision, context: 0, ...shownDiff });
  if (body instanceof Readable) body.destroy();
}

/** Reads a page of the changesets between two revisions, the newest first, and one more if another page follows. */
export async function readRange(
  visit: Visit,
  { repo_id: repoid, last_changeset: last }: RepositoryHead,
  { from, to }: ChangesetRange,
): Promise<readonly HistoryRecord[]> {
  if (last === null) throw new NotFoundError('Empty repository');
  const cursor = visit.query.get('cursor');
  const args = { repoid, start: from || null, end: to || null, reverse: true, limit: perPage + 1 };
  try {
    return await visit.worker.call('get_changesets', cursor ? { ...args, cursor } : args);
  } catch (error) {
    if (!(error instanceof OperationFailedError)) throw error;
    for (const revision of [from, to]) await requireRevision(visit, repoid, revision);
    throw error;
  }
}

/**
 * Reads the diffs of changesets one after the other, so that a page takes no more than one slot. Throws ClientGoneError
 * when the client has disconnected.
 */
export async function readDifferences(
  visit: Visit,
  repoid: number,
  rawIds: readonly string[],
  options: DiffOptions,
): Promise<Diff[]> {
  const diffs: Diff[] = [];
  for (const revision of rawIds) {
    if (visit.http.outgoing.destroyed) throw new ClientGoneError('the client closed the connection');
    const { body } = await visit.worker.open('download_diff', {
      repoid,
      revision,
      ...sentOptions(options),
      ...shownDiff,
    });
    diffs.push(await readDiff(body, rawIds.length));
  }
  return diffs;
}
