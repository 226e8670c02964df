import * as v from 'valibot';
import { StorageName } from '../subjects.ts';

const Whole = v.pipe(v.number(), v.safeInteger(), v.minValue(0));

/** What a backup asks of a worker of a storage: the tree of a repository, or that of a deleted one in the trash. */
export const SnapshotRequest = v.object({
  /** Random; the offer in the answer is made for it. */
  id: v.pipe(v.string(), v.uuid()),
  sentAt: v.number(),
  storage: StorageName,
  repositoryId: Whole,
});
export type SnapshotRequest = v.InferOutput<typeof SnapshotRequest>;

/** What is known of a tree that was frozen: the first line of a transfer. The frames of the tree follow. */
export const SnapshotHead = v.object({
  epoch: Whole,
  generation: Whole,
  /** As the column of the repository's row has it. */
  lastChangeset: v.nullable(v.looseObject({ rawId: v.string() })),
  defaultBranch: v.nullable(v.string()),
  /** Digest of all references. */
  refs: v.string(),
});
export type SnapshotHead = v.InferOutput<typeof SnapshotHead>;
