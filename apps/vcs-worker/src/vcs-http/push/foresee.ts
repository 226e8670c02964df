import { stat, statfs } from 'node:fs/promises';
import type { RecordedState } from '../../domain/repo/recorded-state-store.ts';
import { toStoredChangeset } from '../../domain/repo/tip-store.ts';
import { measureSizes } from '../../storage/measure-size.ts';
import { packsOf, type ReceivePack } from '../../vcs/git/protocol/receive-pack.ts';
import type { CallScope } from '../../vcs/process/call-scope.ts';
import type { NameChange, ReceivedPush } from '../../vcs/push.ts';
import type { Foreseen } from './foreseen.ts';

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
async function foreseeSize(
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
 * Foresees what a received push makes of a repository, of which `recorded` was read before any of its bytes; null for a
 * push of which that is not known.
 */
export async function foresee(
  receivePack: Pick<ReceivePack, 'foresee'>,
  path: string,
  push: ReceivedPush,
  { recorded, scope }: { readonly recorded: RecordedState; readonly scope: CallScope },
): Promise<Foreseen | null> {
  const { generation, lastChangeset, sizeBytes: recordedBytes, needsRecovery } = recorded;
  const commits = (lastChangeset?.revision ?? -1) + 1;
  // What an interrupted write has left is not what is recorded.
  const before = needsRecovery || !lastChangeset ? null : { commits, newestMs: lastChangeset.date };
  const history = await receivePack.foresee(path, push, { before, scope });
  if (!history) return null;
  const { tip, added } = history;
  return {
    generation,
    tip: toStoredChangeset(tip),
    recordedBytes,
    sizeBytes: await foreseeSize(path, recordedBytes, push),
    needsIndex: needsIndex({ before: commits, after: (tip?.revision ?? -1) + 1, added }),
  };
}
