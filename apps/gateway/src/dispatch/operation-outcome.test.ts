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
import type { Command } from './dispatch.ts';
import { answerOrOutcome } from './operation-outcome.ts';

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

/** A call whose worker answers when the test says so; the views give these answers in turn. */
function setUp(...views: (Error | BusReply)[]) {
  let mayHaveEnded = () => {};
  let watching = false;
  let answer = (_reply: BusReply) => {};
  let fail = (_error: Error) => {};
  let signal: AbortSignal | undefined;
  const asked: Command[] = [];
  const sleeps: number[] = [];
  const orOutcome = answerOrOutcome({
    ends: {
      watch(watched, callBack) {
        expect(watched).toEqual({ kind: 'operation', id: command.requestId });
        watching = true;
        mayHaveEnded = callBack;
        return () => (watching = false);
      },
    },
    async dispatch(view) {
      asked.push(view);
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
  const reply = orOutcome(command, (given) => {
    signal = given;
    return new Promise((resolve, reject) => {
      answer = resolve;
      fail = reject;
    });
  });
  return {
    asked,
    sleeps,
    reply,
    answer: (reply: BusReply) => answer(reply),
    fail: (error: Error) => fail(error),
    /** The watch calls back, and what follows from that is done. */
    async end() {
      mayHaveEnded();
      for (let turns = 0; turns < 5; turns += 1) await turn();
    },
    isWatching: () => watching,
    isGivenUp: () => signal?.aborted,
  };
}

describe('answerOrOutcome', () => {
  it('answers what the worker answers, and asks nobody else', async () => {
    const { answer, reply, asked, isWatching } = setUp();
    answer(replyOf('of the worker'));
    expect(textOf(await reply)).toBe('"of the worker"');
    expect([asked, isWatching()]).toEqual([[], false]);
  });

  it('gives the worker a moment to answer after the end', async () => {
    const { answer, end, reply, sleeps, asked } = setUp();
    const ended = end();
    answer(replyOf('of the worker'));
    await ended;
    expect(textOf(await reply)).toBe('"of the worker"');
    expect([sleeps, asked]).toEqual([[1_000], []]);
  });

  it('C6 asks for the result, as the caller, when the operation has ended and its worker is silent', async () => {
    const { end, reply, asked, isWatching, isGivenUp } = setUp(replyOf('of another worker'));
    await end();
    expect(textOf(await reply)).toBe('"of another worker"');
    expect(asked).toMatchObject([
      { method: { name: 'view_operation_result' }, args: { operation_id: command.requestId }, lane: 'metadata' },
    ]);
    expect(asked[0]?.caller).toBe(command.caller);
    expect(asked[0]?.requestId).not.toBe(command.requestId);
    expect([isWatching(), isGivenUp()]).toEqual([false, true]);
  });

  it('C6 fails as the operation did', async () => {
    const failure = new OperationFailedError('Unable to pull changes from `x`');
    const { end, reply } = setUp(failure);
    reply.catch(() => {});
    await end();
    await expect(reply).rejects.toBe(failure);
  });

  it.each([
    ['the operation still runs', replyOf(null)],
    ['workers are busy', new BusyError()],
  ])('waits for the next end when %s', async (_what, first) => {
    const { end, reply, asked } = setUp(first, replyOf('of another worker'));
    await end();
    expect(asked).toHaveLength(1);
    await end();
    expect(textOf(await reply)).toBe('"of another worker"');
  });

  it('asks again after an end that was announced while it asked', async () => {
    const { end, reply, asked } = setUp(replyOf(null), replyOf('of another worker'));
    await Promise.all([end(), end(), end()]);
    expect(textOf(await reply)).toBe('"of another worker"');
    expect(asked).toHaveLength(2);
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

  it('passes other errors of its worker on', async () => {
    const refusal: BusReply = { payload: encodeError(new BusyError()).payload, isError: true };
    const { answer, reply, asked } = setUp();
    answer(refusal);
    expect(await reply).toBe(refusal);
    expect(asked).toEqual([]);
  });

  it('fails with the bus', async () => {
    const { fail, reply, isWatching } = setUp();
    fail(new BusError('lost'));
    await expect(reply).rejects.toThrow('bus: lost');
    expect(isWatching()).toBe(false);
  });
});
