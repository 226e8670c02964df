import { readFile, stat, statfs, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { StoredChangeset } from '@trunkline/db';
import * as v from 'valibot';
import { hasCode } from '../../has-code.ts';
import { toStoredChangeset, type RecordedState } from '../../domain/repo/recorded-state.ts';
import { measureSizes } from '../../storage/measure-size.ts';
import { packsOf, type ReceivePack } from '../../vcs/git/protocol/receive-pack.ts';
import type { CallScope } from '../../vcs/process/call-scope.ts';
import type { NameChange, ReceivedPush } from '../../vcs/push.ts';

const StoredTip: v.GenericSchema<StoredChangeset> = v.object({
  rawId: v.string(),
  revision: v.number(),
  author: v.string(),
  date: v.number(),
  message: v.string(),
});

const Prediction = v.object({
  /** The generation of the repository that was looked at. */
  generation: v.number(),
  tip: v.nullable(StoredTip),
  sizeBytes: v.nullable(v.number()),
  /** The size that was recorded when the repository was measured. */
  recordedBytes: v.nullable(v.number()),
  /** Whether so many commits lack from the index of the history that it has to be written. */
  needsIndex: v.boolean(),
});

/**
 * What a repository is like once a push is visible, read before the push takes it. The names that the push changes were
 * as its client saw them.
 */
export type PredictedState = v.InferOutput<typeof Prediction>;

/** The file has the name by which the workers of 0.1.0 know it. */
const predictionPath = (directory: string) => join(directory, 'foreseen');

export async function writePrediction(directory: string, predicted: PredictedState): Promise<void> {
  await writeFile(predictionPath(directory), JSON.stringify(predicted));
}

/** Reads what was predicted for a push; null when the repository has changed since, or nothing was predicted. */
export async function readPrediction(directory: string, generation: number): Promise<PredictedState | null> {
  const text = await readFile(predictionPath(directory), 'utf8').catch((error: unknown) => {
    if (!hasCode(error, 'ENOENT')) throw error;
  });
  if (text === undefined) return null;
  const predicted = v.parse(Prediction, JSON.parse(text));
  return predicted.generation === generation ? predicted : null;
}

/** Commits that may lack from the index of the history: a walk reads them in milliseconds. */
const unindexedMax = 256;
/** The unit in which a file system counts what a file takes. */
const countedBytes = 512;

/** Returns whether a push that makes a history of `before` commits one of `after` has its index written. */
export function needsIndex({ before, after, added }: Readonly<Record<'before' | 'after' | 'added', number>>): boolean {
  const part = (commits: number) => Math.floor(commits / unindexedMax);
  return added >= unindexedMax || part(before) !== part(after);
}

/**
 * Returns the size of a repository to which these files are added, and for each new name a file of one block. The
 * repository is measured where its size is not recorded.
 */
async function predictSize(
  path: string,
  recordedBytes: number | null,
  { directory, changes }: ReceivedPush,
): Promise<number | null> {
  const files = await packsOf(directory);
  const { bsize } = await statfs(path);
  const names = bsize * changes.filter(({ from }: NameChange) => from === null).length;
  if (recordedBytes === null) {
    const measured = await measureSizes([path, ...files]);
    return measured === null ? null : measured + names;
  }
  const blocks = await Promise.all(files.map(async (file) => (await stat(file)).blocks));
  return blocks.reduce((sum, count) => sum + count * countedBytes, recordedBytes + names);
}

/**
 * Predicts what a received push makes of a repository, of which `recorded` was read before any of its bytes; null for a
 * push of which that is not known.
 */
export async function predictState(
  receivePack: Pick<ReceivePack, 'predict'>,
  path: string,
  push: ReceivedPush,
  { recorded, scope }: { readonly recorded: RecordedState; readonly scope: CallScope },
): Promise<PredictedState | null> {
  const { generation, lastChangeset, sizeBytes: recordedBytes, needsRecovery } = recorded;
  const commits = (lastChangeset?.revision ?? -1) + 1;
  // An interrupted write has left another state than the recorded one.
  const before = needsRecovery || !lastChangeset ? null : { commits, newestMs: lastChangeset.date };
  const history = await receivePack.predict(path, push, { before, scope });
  if (!history) return null;
  const { tip, added } = history;
  return {
    generation,
    tip: toStoredChangeset(tip),
    recordedBytes,
    sizeBytes: await predictSize(path, recordedBytes, push),
    needsIndex: needsIndex({ before: commits, after: (tip?.revision ?? -1) + 1, added }),
  };
}
