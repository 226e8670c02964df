import { CoalescingCache } from '@trunkline/runtime/concurrency';
import type { Changeset, RepositoryState } from '../backend.ts';
import { CommitOrder } from './commit-order.ts';
import { everyCommit, type CommitWalk } from './commit-walk.ts';

const bytesMax = 64 * 1024 * 1024;
const tipMsMax = 60_000;
const tipBytes = 2_000;
const inOrder = [...everyCommit, '--date-order', '--timestamp'];

/** The histories that one worker keeps, by repository and generation. */
export interface KeptHistories {
  readonly orders: CoalescingCache<CommitOrder>;
  readonly tips: CoalescingCache<{ readonly tip: Changeset | null }>;
}

export function keepHistories(): KeptHistories {
  return {
    orders: new CoalescingCache(bytesMax, (order) => order.bytes),
    // A damaged history is to be noticed soon after the damage.
    tips: new CoalescingCache(
      1_000 * tipBytes,
      ({ tip }) => tipBytes + 2 * (tip?.message.length ?? 0),
      () => tipMsMax,
    ),
  };
}

/** The order of a repository's commits. Where the state of the repository is known, it is read once and kept. */
export interface History {
  order(path: string): Promise<CommitOrder>;
  /** Returns a test of whether a commit, by its number in the order, is among those that a branch's head reaches. */
  reachedBy(path: string, order: CommitOrder, head: string): Promise<(number: number) => boolean>;
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
  const read = async (path: string, shared?: AbortSignal) => CommitOrder.parse(await walkUntil(shared)(path, inOrder));
  return {
    order: (path) => (key ? kept.orders.get(key, (shared) => read(path, shared), signal) : read(path)),
    reachedBy: (path, order, head) => order.reachedBy(head, () => walkUntil()(path, ['--end-of-options', head])),
    numberOfTip: (rawId) => (tip?.rawId === rawId ? tip.revision : null),
  };
}
