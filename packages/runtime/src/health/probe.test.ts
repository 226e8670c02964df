import { setImmediate as turn } from 'node:timers/promises';
import { expect, it, vi } from 'vitest';
import { createProbe } from './probe.ts';

const timeoutMs = 60_000;

it('answers true when the dependency answers, false when it fails', async () => {
  expect(await createProbe(async () => 'yes', timeoutMs)()).toBe(true);
  expect(await createProbe(() => Promise.reject(new Error('no')), timeoutMs)()).toBe(false);
});

it('sends a new request when the last one was answered', async () => {
  const ask = vi.fn(async () => {});
  const probe = createProbe(ask, timeoutMs);
  await probe();
  await probe();
  expect(ask).toHaveBeenCalledTimes(2);
});

it('E5 sends only one request to a dependency that does not answer, and notices when it answers again', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  try {
    let answer = () => {};
    const ask = vi.fn(() => new Promise<void>((resolve) => (answer = resolve)));
    const probe = createProbe(ask, timeoutMs);
    for (let round = 0; round < 3; round += 1) {
      const found = probe();
      vi.advanceTimersByTime(timeoutMs);
      expect(await found).toBe(false);
    }
    const found = probe();
    answer();
    expect(await found).toBe(true);
    expect(ask).toHaveBeenCalledTimes(1);
    await turn();
    expect(vi.getTimerCount()).toBe(0);
  } finally {
    vi.useRealTimers();
  }
});

it('E5 asks again when an answer never comes, and only a few times', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  try {
    const ask = vi.fn(() => new Promise<void>(() => {}));
    const probe = createProbe(ask, timeoutMs);
    const fail = async (times: number) => {
      for (let round = 0; round < times; round += 1) {
        const found = probe();
        vi.advanceTimersByTime(timeoutMs);
        expect(await found).toBe(false);
      }
    };
    await fail(100);
    expect(ask).toHaveBeenCalledTimes(3);

    const answering = vi.fn(ask).mockImplementationOnce(() => new Promise<void>(() => {}));
    answering.mockImplementation(async () => {});
    const recovering = createProbe(answering, timeoutMs);
    const first = recovering();
    vi.advanceTimersByTime(timeoutMs);
    await first;
    for (let round = 1; round < 10; round += 1) {
      const found = recovering();
      vi.advanceTimersByTime(timeoutMs);
      expect(await found).toBe(false);
    }
    expect(await recovering()).toBe(true);
  } finally {
    vi.useRealTimers();
  }
});
