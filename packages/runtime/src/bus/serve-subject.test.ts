import { setImmediate as turn } from 'node:timers/promises';
import { decodeError, encodeError, OutcomeUnknownError } from '@trunkline/contracts';
import type { Msg } from 'nats';
import { expect, it } from 'vitest';
import { createLogger } from '../logger.ts';
import { HeldAnswers } from './held-answers.ts';
import { serveSubject, type ServeOptions } from './serve-subject.ts';
import type { StreamFrame } from './streams-of-0.1/stream-frame.ts';
import type { StreamLink } from './streams-of-0.1/stream-link.ts';

const answerBytes = 600_000;
type OnFrame = Parameters<StreamLink['listen']>[1];
type Deliver = (message: Msg, connection: unknown) => void;

/** Serves answers of 600 KB, each for the caller that the request names, on a connection in memory. */
function serve(held: HeldAnswers, options: Partial<ServeOptions> = {}) {
  const listeners: OnFrame[] = [];
  const frames: StreamFrame[] = [];
  const refusals: string[] = [];
  let deliver: Deliver = () => {};
  const link: StreamLink = {
    inbox: () => 'inbox',
    listen: (_subject, onFrame) => {
      listeners.push(onFrame);
      return () => {};
    },
    send: (_subject, frame) => void frames.push(frame),
    onLost: () => () => {},
  };
  const outbox = { publish: ({ payload }: { payload: Uint8Array }) => refusals.push(decodeError(payload).code) };
  const connection = { link, outbox, isConnected: true, payloadBytesMax: 1024 * 1024, hold: () => () => {} };
  const subscribe = (_subject: string, _queue: string | undefined, onMessage: Deliver) => {
    deliver = onMessage;
    return { isSubscribed: true, drain: async () => {} };
  };
  const bus = { current: connection, subscribe } as never;
  const service = serveSubject(
    { connection: bus, held, logger: createLogger({ role: 'test', level: 'silent' }) },
    'x',
    {
      timeLimitMs: 60_000,
      handle: async (payload) => ({
        payload: new Uint8Array(answerBytes),
        errorCode: null,
        caller: Buffer.from(payload).toString(),
      }),
      ...options,
    },
  );
  const message = (caller: string) => ({ data: Buffer.from(caller), reply: 'inbox', respond: () => true });
  return {
    frames,
    refusals,
    /** Asks for an answer; returns what sends its stream a frame of the reader. */
    async ask(caller: string) {
      deliver(message(caller) as unknown as Msg, connection);
      await turn();
      const onFrame = listeners.at(-1);
      return async (kind: 'credit' | 'cancel', bytes: number | null = null) => {
        onFrame?.({ kind, bytes }, { payload: new Uint8Array(), replyTo: 'reader' });
        await turn();
      };
    },
    async end() {
      for (const onFrame of listeners)
        onFrame({ kind: 'cancel', bytes: null }, { payload: new Uint8Array(), replyTo: '' });
      await service.drain();
    },
  };
}

it('E3 E6 large answers of all subjects share the bytes, of which a caller has half', async () => {
  const held = new HeldAnswers({ bytesMax: 4 * answerBytes, largest: answerBytes });
  const [one, other] = [serve(held), serve(held)];
  const cancelFirst = await one.ask('ann');
  await other.ask('ann');
  await one.ask('ann');
  expect([held.bytes, one.refusals, other.refusals]).toEqual([2 * answerBytes, ['busy'], []]);
  await one.ask('bob');
  expect([held.bytes, one.refusals]).toEqual([3 * answerBytes, ['busy']]);
  await cancelFirst('cancel');
  expect(held.bytes).toBe(2 * answerBytes);
  await other.ask('ann');
  expect(held.bytes).toBe(3 * answerBytes);
  await Promise.all([one.end(), other.end()]);
  expect(held.bytes).toBe(0);
});

it('E6 a reader below 10 KB a second loses its answer to a caller who finds no space', async () => {
  let now = 0;
  const held = new HeldAnswers({ bytesMax: 2 * answerBytes, largest: 0 }, () => now);
  const { ask, frames, refusals, end } = serve(held);
  const read = await ask('slow');
  await ask('other');
  await read('credit', 1);
  now = 26_000;
  await ask('third');
  await turn();
  expect([frames.map(({ kind }) => kind), refusals, held.bytes]).toEqual([['data', 'cancel'], [], 2 * answerBytes]);
  await end();
});

it('gives the reply of the service where there is no space', async () => {
  const noSpaceReply = () => encodeError(OutcomeUnknownError.of('id'));
  const { ask, refusals, end } = serve(new HeldAnswers({ bytesMax: 1 }), { noSpaceReply });
  await ask('ann');
  expect(refusals).toEqual(['outcome_unknown']);
  await end();
});
