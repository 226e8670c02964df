import { Readable } from 'node:stream';
import { setImmediate as turn } from 'node:timers/promises';
import {
  BusyError,
  encodeError,
  encodeResult,
  OperationFailedError,
  methods,
  OutcomeUnknownError,
} from '@trunkline/contracts';
import { BusError, type BusReply } from '@trunkline/runtime';
import { describe, expect, it } from 'vitest';
import type { Command } from './command.ts';
import { createAnswerOrOutcome } from './operation-outcome.ts';

const command: Command = {
  method: methods.pull,
  lane: 'transfer',
  args: { repoid: 'x' },
  caller: { userId: 1, ip: '192.0.2.1', credential: { kind: 'key', id: 2 } },
  requestId: '5c9f8a52-7a52-4d6f-9a0a-0b1b2d3f4a5c',
};
const replyOf = (result: unknown): BusReply => ({ payload: encodeResult(result).payload, isError: false });
const textOf = ({ payload }: BusReply) =>
  payload instanceof Uint8Array ? Buffer.from(payload).toString() : 'a stream';

/** Starts a call whose worker answers by `answer` or `fail`; `view_operation_result` returns these answers in turn. */
function setUp(...views: (Error | BusReply)[]) {
  let mayHaveEnded = () => {};
  let watching = false;
  let answer = (_reply: BusReply) => {};
  let fail = (_error: Error) => {};
  let signal: AbortSignal | undefined;
  const dispatched: Command[] = [];
  const sleeps: number[] = [];
  const answerOrOutcome = createAnswerOrOutcome({
    endWatch: {
      watch(watched, callBack) {
        expect(watched).toEqual({ kind: 'operation', id: command.requestId });
        watching = true;
        mayHaveEnded = callBack;
        return () => (watching = false);
      },
    },
    async dispatch(view) {
      dispatched.push(view);
      const outcome = views.shift();
      if (!outcome || outcome instanceof Error) throw outcome ?? new Error('asked too often');
      return outcome.payload;
    },
    clock: {
      now: () => 0,
      async sleep(ms, given) {
        sleeps.push(ms);
        await turn();
        given?.throwIfAborted();
      },
    },
  });
  const reply = answerOrOutcome(command, (given) => {
    signal = given;
    return new Promise((resolve, reject) => {
      answer = resolve;
      fail = reject;
    });
  });
  return {
    dispatched,
    sleeps,
    reply,
    answer: (reply: BusReply) => answer(reply),
    fail: (error: Error) => fail(error),
    /** Has the watch call back, and waits until the look-up that follows is done. */
    async end() {
      mayHaveEnded();
      for (let turns = 0; turns < 5; turns += 1) await turn();
    },
    isWatching: () => watching,
    isGivenUp: () => signal?.aborted,
  };
}

describe('createAnswerOrOutcome', () => {
  it('returns the answer of the worker, and asks no other worker', async () => {
    const { answer, reply, dispatched, isWatching } = setUp();
    answer(replyOf('of the worker'));
    expect(textOf(await reply)).toBe('"of the worker"');
    expect([dispatched, isWatching()]).toEqual([[], false]);
  });

  it('waits a second for the answer of the worker after the end of the operation', async () => {
    const { answer, end, reply, sleeps, dispatched } = setUp();
    const ended = end();
    answer(replyOf('of the worker'));
    await ended;
    expect(textOf(await reply)).toBe('"of the worker"');
    expect([sleeps, dispatched]).toEqual([[1_000], []]);
  });

  it('C6 asks for the result, as the caller, when the operation has ended and its worker does not answer', async () => {
    const { end, reply, dispatched, isWatching, isGivenUp } = setUp(replyOf('of another worker'));
    await end();
    expect(textOf(await reply)).toBe('"of another worker"');
    expect(dispatched).toMatchObject([
      { method: { name: 'view_operation_result' }, args: { operation_id: command.requestId }, lane: 'metadata' },
    ]);
    expect(dispatched[0]?.caller).toBe(command.caller);
    expect(dispatched[0]?.requestId).not.toBe(command.requestId);
    expect([isWatching(), isGivenUp()]).toEqual([false, true]);
  });

  it('C6 reads a large result whole, since nobody else would end its transfer', async () => {
    const stream = Readable.from([Buffer.from('"of another '), Buffer.from('worker"')]);
    const { end, reply } = setUp({ payload: { length: null, stream }, isError: false });
    await end();
    expect(textOf(await reply)).toBe('"of another worker"');
    expect(stream.destroyed).toBe(true);
  });

  it('C6 throws the error of a failed operation', async () => {
    const failure = new OperationFailedError('Unable to pull changes from `x`');
    const { end, reply } = setUp(failure);
    reply.catch(() => {});
    await end();
    await expect(reply).rejects.toBe(failure);
  });

  it.each([
    ['the operation still runs', replyOf(null)],
    ['workers are busy', new BusyError()],
  ])('waits for the next event of an end when %s', async (_what, first) => {
    const { end, reply, dispatched } = setUp(first, replyOf('of another worker'));
    await end();
    expect(dispatched).toHaveLength(1);
    await end();
    expect(textOf(await reply)).toBe('"of another worker"');
  });

  it('asks again after an event that arrived while it asked', async () => {
    const { end, reply, dispatched } = setUp(replyOf(null), replyOf('of another worker'));
    await Promise.all([end(), end(), end()]);
    expect(textOf(await reply)).toBe('"of another worker"');
    expect(dispatched).toHaveLength(2);
  });

  it('C7 asks once when its worker no longer holds the operation', async () => {
    const unknown: BusReply = {
      payload: encodeError(OutcomeUnknownError.of(command.requestId)).payload,
      isError: true,
    };
    const ended = setUp(replyOf('of another worker'));
    ended.answer(unknown);
    expect(textOf(await ended.reply)).toBe('"of another worker"');
    for (const view of [replyOf(null), new BusyError()]) {
      const running = setUp(view);
      running.answer(unknown);
      expect(await running.reply).toBe(unknown);
    }
    const failure = new OperationFailedError('failed');
    const failed = setUp(failure);
    failed.answer(unknown);
    await expect(failed.reply).rejects.toBe(failure);
  });

  it('returns any other error of the worker', async () => {
    const refusal: BusReply = { payload: encodeError(new BusyError()).payload, isError: true };
    const { answer, reply, dispatched } = setUp();
    answer(refusal);
    expect(await reply).toBe(refusal);
    expect(dispatched).toEqual([]);
  });

  it('throws the error of the bus, and stops watching', async () => {
    const { fail, reply, isWatching } = setUp();
    fail(new BusError('lost'));
    await expect(reply).rejects.toThrow('bus: lost');
    expect(isWatching()).toBe(false);
  });
});
