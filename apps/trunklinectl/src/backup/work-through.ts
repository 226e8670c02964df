import { setTimeout as sleep } from 'node:timers/promises';

/** Items on which is worked at once. */
const atOnce = 4;
/** Time without any success after which what still fails is given up. */
const patienceMsDefault = 600_000;
const pauseMs = { first: 100, max: 5_000 } as const;
/** An item may have failed after hours: it is tried as often in any case. */
const triesMin = 3;

interface Waiting<T> {
  readonly item: T;
  readonly tries: number;
  readonly dueAt: number;
}

export interface Work<T> {
  readonly act: (item: T) => Promise<void>;
  /** Returns whether the same may succeed later. */
  readonly mayPass: (error: unknown) => boolean;
  /** Is told of an item that is given up; what it throws ends the work. */
  readonly failed: (item: T, error: unknown) => void;
  readonly patienceMs?: number;
}

/**
 * Works on all items, a few at once. What fails for a while is tried again behind all others, after growing pauses, so
 * that one item that waits holds up no other; it is given up when nothing has succeeded for ten minutes.
 */
export async function workThrough<T>(
  items: readonly T[],
  { act, mayPass, failed, patienceMs = patienceMsDefault }: Work<T>,
): Promise<void> {
  const waiting: Waiting<T>[] = [];
  let begun = 0;
  let succeededAt = performance.now();
  let end: { readonly error: unknown } | undefined;

  const take = (): Waiting<T> | undefined => {
    const item = items[begun];
    if (item === undefined) return waiting.shift();
    begun += 1;
    return { item, tries: 0, dueAt: 0 };
  };
  const attempt = async ({ item, tries }: Waiting<T>) => {
    try {
      await act(item);
      succeededAt = performance.now();
    } catch (error) {
      const now = performance.now();
      const isOver = tries + 1 >= triesMin && now - succeededAt > patienceMs;
      if (isOver || !mayPass(error)) return failed(item, error);
      const pause = Math.min(pauseMs.first * 2 ** tries, pauseMs.max);
      waiting.push({ item, tries: tries + 1, dueAt: now + pause * (0.5 + Math.random()) });
    }
  };
  const run = async () => {
    for (let next = take(); next && !end; next = take()) {
      const pause = next.dueAt - performance.now();
      if (pause > 0) await sleep(pause);
      try {
        await attempt(next);
      } catch (error) {
        end ??= { error };
      }
    }
  };
  await Promise.all(Array.from({ length: atOnce }, run));
  if (end) throw end.error;
}
