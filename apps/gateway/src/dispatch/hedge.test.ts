import { Readable } from 'node:stream';
import {
  BusyError,
  encodeError,
  encodeResult,
  MethodNotFoundError,
  NotFoundError,
  type RpcError,
  UnavailableError,
} from '@trunkline/contracts';
import { BusError, type BusReply } from '@trunkline/runtime';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { hedge } from './hedge.ts';

const result = (value: unknown): BusReply => ({ payload: encodeResult(value).payload, isError: false });
const failure = (error: RpcError): BusReply => ({ payload: encodeError(error).payload, isError: true });

function streamed() {
  const stream = new Readable({ read() {} });
  return { stream, reply: { payload: { length: null, stream, bytesRead: () => 0 }, isError: false } as BusReply };
}

/** A question whose answers the test gives. */
function setUp() {
  const hedges = { times: 0 };
  const settle: { [which in 'first' | 'second']?: (reply: BusReply) => void } = {};
  const promise = (which: 'first' | 'second') => new Promise<BusReply>((resolve) => (settle[which] = resolve));
  const answer = hedge(promise('first'), () => {
    hedges.times += 1;
    return promise('second');
  });
  return { hedges, settle, answer };
}

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

describe('hedge', () => {
  it('E5 asks once when the answer comes within a second, and leaves no timer behind', async () => {
    const { hedges, settle, answer } = setUp();
    await vi.advanceTimersByTimeAsync(999);
    const reply = result(1);
    settle.first?.(reply);
    expect(await answer).toBe(reply);
    expect([hedges.times, vi.getTimerCount()]).toEqual([0, 0]);
  });

  it.each(['first', 'second'] as const)(
    'E5 asks a second time after a second; the %s answer counts when it is first',
    async (which) => {
      const { hedges, settle, answer } = setUp();
      await vi.advanceTimersByTimeAsync(1_000);
      expect(hedges.times).toBe(1);
      const reply = result(which);
      settle[which]?.(reply);
      expect(await answer).toBe(reply);
      await vi.advanceTimersByTimeAsync(60_000);
      expect(hedges.times).toBe(1);
    },
  );

  it.each(['first', 'second'] as const)('E5 declines a large answer that comes too late as the %s', async (late) => {
    const { settle, answer } = setUp();
    await vi.advanceTimersByTimeAsync(1_000);
    settle[late === 'first' ? 'second' : 'first']?.(result(1));
    await answer;
    const { stream, reply } = streamed();
    settle[late]?.(reply);
    await vi.advanceTimersByTimeAsync(0);
    expect(stream.destroyed).toBe(true);
  });

  it('E5 takes the error of a call from either worker', async () => {
    const { settle, answer } = setUp();
    await vi.advanceTimersByTimeAsync(1_000);
    const missing = failure(new NotFoundError('no such user'));
    settle.second?.(missing);
    expect(await answer).toBe(missing);
  });

  it.each([
    ['is busy', async () => failure(new BusyError())],
    ['is unavailable', async () => failure(new UnavailableError())],
    ['does not know the method', async () => failure(new MethodNotFoundError('x'))],
    ['does not answer', () => Promise.reject(new BusError('timeout'))],
  ])('E5 waits for the first worker when the second one %s', async (_what, again) => {
    let answered: (reply: BusReply) => void = () => {};
    const answer = hedge(new Promise((resolve) => (answered = resolve)), again);
    await vi.advanceTimersByTimeAsync(1_000);
    const reply = result(1);
    answered(reply);
    expect(await answer).toBe(reply);
  });

  it.each([
    ['is busy', failure(new BusyError())],
    ['is unavailable', failure(new UnavailableError())],
  ])('E5 waits for the second worker when the first one %s', async (_what, refusal) => {
    const { settle, answer } = setUp();
    await vi.advanceTimersByTimeAsync(1_000);
    settle.first?.(refusal);
    await vi.advanceTimersByTimeAsync(0);
    const reply = result(1);
    settle.second?.(reply);
    expect(await answer).toBe(reply);
  });

  it.each([
    ['is busy, too', async () => failure(new BusyError())],
    ['does not answer', () => Promise.reject(new BusError('timeout'))],
    ['was not asked', async () => null],
  ])('E5 returns the refusal of the first worker when the second one %s, in either order', async (_what, again) => {
    const refusal = failure(new BusyError());
    for (const firstIsEarlier of [true, false]) {
      let answered: (reply: BusReply) => void = () => {};
      let ask: (reply: Promise<BusReply | null>) => void = () => {};
      const second = new Promise<BusReply | null>((resolve) => (ask = resolve));
      const answer = hedge(new Promise((resolve) => (answered = resolve)), () => second);
      await vi.advanceTimersByTimeAsync(1_000);
      const steps = [() => answered(refusal), () => ask(again())];
      for (const step of firstIsEarlier ? steps : steps.toReversed()) {
        step();
        await vi.advanceTimersByTimeAsync(0);
      }
      expect(await answer).toBe(refusal);
    }
  });

  it('E5 fails when the first question does, and tells the second one to stop', async () => {
    const stopped = { is: () => false };
    let fail: (error: Error) => void = () => {};
    const answer = hedge(new Promise((_, reject) => (fail = reject)), async (isAnswered) => {
      stopped.is = isAnswered;
      return null;
    });
    await vi.advanceTimersByTimeAsync(1_000);
    expect(stopped.is()).toBe(false);
    fail(new BusError('timeout'));
    await expect(answer).rejects.toThrow(new BusError('timeout'));
    expect(stopped.is()).toBe(true);
  });
});
