import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { operationEndedWaiter } from './operation-end.ts';

const watched = { kind: 'operation', id: crypto.randomUUID() } as const;
const ends = new Set<() => void>();
const waitForEnd = operationEndedWaiter({
  watch(_, end) {
    ends.add(end);
    return () => ends.delete(end);
  },
});

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
  ends.clear();
});

it.each<[string, (controller: AbortController) => unknown]>([
  ['the operation ends', () => [...ends].forEach((end) => end())],
  ['the time is over', () => vi.advanceTimersByTime(3_600_000)],
  ['the caller goes', (controller) => controller.abort()],
])('neither a timer nor a watch is left when %s', async (_, end) => {
  const controller = new AbortController();
  const waiting = waitForEnd(watched, 3_600_000, controller.signal);
  expect([vi.getTimerCount(), ends.size]).toEqual([1, 1]);
  end(controller);
  await waiting;
  expect([vi.getTimerCount(), ends.size]).toEqual([0, 0]);
});

it('a caller who has gone before waits for nothing', async () => {
  await waitForEnd(watched, 3_600_000, AbortSignal.abort());
  expect([vi.getTimerCount(), ends.size]).toEqual([0, 0]);
});
