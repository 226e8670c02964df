import type { ResultOfMethod, Served } from '@trunkline/contracts';
import type { Diff } from '../../render/diff/diff-file.ts';
import type { Visit } from '../../visit.ts';
import { readRefsOf, type ChangesetRefs } from '../refs/changeset-refs.tsx';
import type { PageAddress } from '../repository-page.ts';
import { diffOptionsOf, revisionOf, sentOptions, type DiffOptions } from './diff-urls.tsx';
import { readDiff, shownDiff } from './read-diff.ts';

/** What a page says of a changeset; without what workers of 0.1 do not tell. */
export type ShownChangeset = Pick<ResultOfMethod<Served['view_changeset']>, 'changeset'> &
  Partial<ResultOfMethod<Served['view_changeset']>>;

export interface FoundChangeset {
  readonly shown: ShownChangeset;
  readonly refs: ChangesetRefs | undefined;
  readonly diff: Diff;
  /** Number of the parent with which the diff compares. */
  readonly parent: number;
  readonly options: DiffOptions;
}

async function readShown({ worker }: Visit, repoid: number, revision: string): Promise<ShownChangeset> {
  const shown = await worker.callNew('view_changeset', { repoid, revision });
  if (shown) return shown;
  return { changeset: await worker.call('get_changeset', { repoid, revision, with_file_list: true }) };
}

/** Reads what the page of a changeset shows. */
export async function readChangeset(visit: Visit, address: PageAddress): Promise<FoundChangeset> {
  const { repoid } = address;
  const options = diffOptionsOf(visit.query);
  const args = { repoid, revision: revisionOf(address), ...sentOptions(options), ...shownDiff };
  const { head, body } = await visit.worker.open('download_diff', args);
  // The revision may be a branch that moves meanwhile, so the changeset is read by the id in the diff's head.
  const [diff, shown, refs] = await Promise.all([
    readDiff(body, 1, options.only?.path),
    readShown(visit, repoid, head.rawId),
    readRefsOf(visit, repoid, [head.rawId]),
  ]);
  return { shown, refs: refs.get(head.rawId), diff, parent: head.parent ?? 1, options };
}
