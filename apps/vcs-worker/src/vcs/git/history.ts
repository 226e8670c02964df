import { CoalescingCache } from '@trunkline/runtime/concurrency';
import type { Changeset, RepositoryState } from '../backend.ts';
import { CommitOrder } from './commit-order.ts';
import type { CommitRange } from './commit-range.ts';
import { everyCommit, type CommitWalk } from './commit-walk.ts';
import { NewestCommits } from './newest-commits.ts';

const bytesMax = 64 * 1024 * 1024;
const newestBytesMax = 16 * 1024 * 1024;
const tipMsMax = 60_000;
const tipBytes = 2_000;
const inOrder = [...everyCommit, '--date-order', '--timestamp'];
/** So many of the newest commits are read without the others: some twenty pages. */
const newestMax = 1_024;
const newestInOrder = [...inOrder, '--parents', `--max-count=${newestMax}`];

/** The histories that one worker keeps, by repository and generation. */
export interface KeptHistories {
  readonly orders: CoalescingCache<CommitOrder>;
  readonly newest: CoalescingCache<NewestCommits>;
  readonly tips: CoalescingCache<{ readonly tip: Changeset | null }>;
}

export function keepHistories(): KeptHistories {
  return {
    orders: new CoalescingCache(bytesMax, (order) => order.bytes),
    newest: new CoalescingCache(newestBytesMax, (newest) => newest.bytes),
    // A damaged history is to be noticed soon after the damage.
    tips: new CoalescingCache(
      1_000 * tipBytes,
      ({ tip }) => tipBytes + 2 * (tip?.message.length ?? 0),
      () => tipMsMax,
    ),
  };
}

/** Finds something among commits; null when they do not have all that it depends on. */
type Search<T> = (commits: CommitRange) => Promise<T | null> | T | null;

/** The order of a repository's commits. Where the state of the repository is known, it is read once and kept. */
export interface History {
  /**
   * Returns what a search finds among the newest commits or, when these do not have it, among all; null when it is
   * nowhere. `lowest` is the lowest number that it looks at, null when that is not known.
   */
  find<T>(path: string, lowest: number | null, search: Search<T>): Promise<T | null>;
  /** The number of the recorded tip; null for another commit. */
  numberOfTip(rawId: string): number | null;
}

interface Tools {
  /** A walk that ends with this signal, or with the call when absent. */
  readonly walkUntil: (signal?: AbortSignal) => CommitWalk;
  readonly kept: KeptHistories;
  readonly state: RepositoryState | undefined;
  readonly signal: AbortSignal | undefined;
}

export function createHistory({ walkUntil, kept, state, signal }: Tools): History {
  const key = state && [state.uuid, state.generation];
  const tip = state?.tip ?? null;

  const readOrder = async (path: string, shared?: AbortSignal) =>
    CommitOrder.parse(await walkUntil(shared)(path, inOrder));
  const orderOf = (path: string) =>
    key ? kept.orders.get(key, (shared) => readOrder(path, shared), signal) : readOrder(path);

  const all = async (path: string): Promise<CommitRange> => {
    const order = await orderOf(path);
    return order.asRange((head) => walkUntil()(path, ['--end-of-options', head]));
  };

  /** Returns the newest commits; null when their numbers are not known, since the recorded tip is not the newest one. */
  const newest = async (path: string, lowest: number | null): Promise<NewestCommits | null> => {
    if (!key || !tip || (lowest !== null && lowest <= tip.revision - newestMax)) return null;
    const read = async (shared: AbortSignal) =>
      NewestCommits.parse(await walkUntil(shared)(path, newestInOrder), tip.revision + 1);
    const commits = await kept.newest.get(key, read, signal);
    const isRecorded = commits.tipId === tip.rawId && commits.first === Math.max(0, commits.length - newestMax);
    return isRecorded ? commits : null;
  };

  return {
    async find(path, lowest, search) {
      const commits = await newest(path, lowest);
      const found = commits && (await search(commits));
      return found ?? search(await all(path));
    },
    numberOfTip: (rawId) => (tip?.rawId === rawId ? tip.revision : null),
  };
}
