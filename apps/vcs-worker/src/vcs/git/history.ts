import type { CacheNamespace, GenerationCache } from '../../cache/generation-cache.ts';
import type { Changeset, RepositoryState } from '../backend.ts';
import { CommitOrder, type CommitRange } from './commit-order.ts';
import { everyCommit, type CommitWalk } from './commit-walk.ts';
import { NewestCommits } from './newest-commits.ts';

const tipMsMax = 60_000;
const inOrder = [...everyCommit, '--date-order', '--timestamp'];
/** So many of the newest commits are read without the others: some twenty pages. */
const newestMax = 1_024;
const newestInOrder = [...inOrder, '--parents', `--max-count=${newestMax}`];

export interface HistoryCaches {
  readonly orders: CacheNamespace<CommitOrder>;
  readonly newest: CacheNamespace<NewestCommits>;
  readonly tips: CacheNamespace<{ readonly tip: Changeset | null }>;
}

export function cacheHistories(cache: GenerationCache): HistoryCaches {
  return {
    orders: cache.namespace({ bytesOf: ({ bytes }) => bytes }),
    newest: cache.namespace({ bytesOf: ({ bytes }) => bytes }),
    // A damaged history is to be noticed soon after the damage.
    tips: cache.namespace({ bytesOf: ({ tip }) => 2 * (tip?.message.length ?? 0), msMax: tipMsMax }),
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
  readonly caches: HistoryCaches;
  readonly state: RepositoryState | undefined;
  readonly signal: AbortSignal | undefined;
}

export function createHistory({ walkUntil, caches, state, signal }: Tools): History {
  const tip = state?.tip ?? null;

  const readOrder = async (path: string, shared?: AbortSignal) =>
    CommitOrder.parse(await walkUntil(shared)(path, inOrder));
  const orderOf = (path: string) =>
    state ? caches.orders.get(state, [], (shared) => readOrder(path, shared), signal) : readOrder(path);

  const all = async (path: string): Promise<CommitRange> => {
    const order = await orderOf(path);
    return order.asRange((head) => walkUntil()(path, ['--end-of-options', head]));
  };

  /** Returns the newest commits; null when their numbers are not known, since the recorded tip is not the newest one. */
  const newest = async (path: string, lowest: number | null): Promise<NewestCommits | null> => {
    if (!state || !tip || (lowest !== null && lowest <= tip.revision - newestMax)) return null;
    const read = async (shared: AbortSignal) =>
      NewestCommits.parse(await walkUntil(shared)(path, newestInOrder), tip.revision + 1);
    const commits = await caches.newest.get(state, [], read, signal);
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
