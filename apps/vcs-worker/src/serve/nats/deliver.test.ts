import { setImmediate as turn } from 'node:timers/promises';
import {
  BusyError,
  decodeAnswerOffer,
  decodeDataOffer,
  OutcomeUnknownError,
  type RpcError,
  UnavailableError,
  type WorkerRequest,
} from '@trunkline/contracts';
import type { DataReply } from '@trunkline/runtime';
import { assert, expect, it, vi } from 'vitest';
import type { DataPort } from '../data-port.ts';
import { createDeliver, HeldAnswers } from './deliver.ts';
import type { LargeReply } from './reply-of.ts';

const answerBytes = 600_000;
const made = { address: 'http://127.0.0.1:1', ticket: 'A'.repeat(43), expiresMs: 1, hmac: 'B'.repeat(43) };

type Options = NonNullable<Parameters<DataPort['offer']>[2]>;

interface Offered {
  readonly take: () => Promise<DataReply>;
  readonly options: Options;
}

/** Delivers answers on a bus whose messages have a megabyte at most, and records what is offered. */
function setUp(held = new HeldAnswers()) {
  const offered: Offered[] = [];
  let refusal: Error | null = null;
  const dataPort: Pick<DataPort, 'offer'> = {
    offer(_requestId, handler, options = {}) {
      if (refusal) throw refusal;
      const request = { body: (async function* () {})(), signal: new AbortController().signal };
      offered.push({ take: () => handler(request), options });
      return made;
    },
  };
  const deliver = createDeliver({ bus: { payloadBytesMax: 1024 * 1024 }, dataPort }, held);
  const ended = vi.fn<() => void>();
  const cancel = new AbortController();
  /** Delivers an answer to a caller; returns the code of the error if there is one. */
  const answer = (
    caller: string,
    reply: Parameters<typeof deliver>[0] = { payload: new Uint8Array(answerBytes), errorCode: null },
    { takesOffer = true, noSpace = (): RpcError => new BusyError() } = {},
  ) => {
    const request = { requestId: 'id', callerKey: caller, takesOffer } as WorkerRequest;
    return deliver(reply, { request, cancelled: cancel.signal, ended, noSpace });
  };
  const refusedTo = (caller: string) => {
    try {
      answer(caller);
      return null;
    } catch (error) {
      return (error as RpcError).code;
    }
  };
  return { offered, answer, refusedTo, held, ended, cancel, refuseWith: (error: Error) => (refusal = error) };
}

/** A reply of unknown length; `wasLeft` tells whether its source was ended. */
function endless() {
  const left = vi.fn<() => Promise<IteratorResult<Uint8Array>>>(async () => ({ done: true, value: undefined }));
  const next = async () => ({ done: false, value: Buffer.from('x') });
  const reply: LargeReply = {
    stream: { [Symbol.asyncIterator]: () => ({ next, return: left }) },
    bytes: null,
    signal: new AbortController().signal,
  };
  return { reply, left };
}

async function read({ body }: DataReply): Promise<Buffer> {
  const pieces: Uint8Array[] = [];
  for await (const piece of body) pieces.push(piece);
  return Buffer.concat(pieces);
}

it('sends small answers and errors in the reply, and offers larger ones with their length', async () => {
  const { answer, offered } = setUp();
  const small = { payload: new Uint8Array(512 * 1024), errorCode: null };
  const error = { payload: new Uint8Array(answerBytes), errorCode: 'internal' } as const;
  expect([answer('ann', small), answer('ann', error)]).toEqual([small, error]);
  const payload = Buffer.alloc(answerBytes, 'abc');
  const sent = answer('ann', { payload, errorCode: null });
  assert('payload' in sent);
  expect([sent.isOffer, decodeAnswerOffer(sent.payload)]).toEqual([true, { ...made, bytes: answerBytes }]);
  expect(decodeDataOffer(sent.payload)).toEqual(made);
  assert(offered[0]);
  expect((await read(await offered[0].take())).equals(payload)).toBe(true);
});

it('gives a large answer to the bus for a gateway of 0.1.0, which takes no offer', () => {
  const { answer, offered } = setUp();
  const large = answer('ann', undefined, { takesOffer: false });
  const { reply } = endless();
  expect([large, answer('ann', reply, { takesOffer: false })]).toEqual([
    expect.objectContaining({ bytes: answerBytes }),
    reply,
  ]);
  expect(offered).toEqual([]);
});

it('refuses an answer above 64 MB, with an error that names the limit', () => {
  const { answer, offered } = setUp();
  const payload = new Uint8Array(64 * 1024 * 1024 + 1);
  expect(() => answer('ann', { payload, errorCode: null })).toThrow(
    'The answer is too large (67108865 bytes, the limit is 67108864)',
  );
  expect(offered).toEqual([]);
});

it('E3 E6 large answers of all subjects share the bytes, of which a caller has half', async () => {
  const { refusedTo, held, offered } = setUp(new HeldAnswers({ bytesMax: 4 * answerBytes, largest: answerBytes }));
  expect([refusedTo('ann'), refusedTo('ann'), refusedTo('ann')]).toEqual([null, null, 'busy']);
  expect(held.bytes).toBe(2 * answerBytes);
  expect([refusedTo('bob'), held.bytes]).toEqual([null, 3 * answerBytes]);
  offered[0]?.options.ended?.();
  await turn();
  expect(held.bytes).toBe(2 * answerBytes);
  expect([refusedTo('ann'), held.bytes]).toEqual([null, 3 * answerBytes]);
  for (const { options } of offered) options.ended?.();
  await turn();
  expect(held.bytes).toBe(0);
});

it('E6 a reader below 10 KB a second loses its answer to a caller who finds no space', async () => {
  let now = 0;
  const { refusedTo, held, offered } = setUp(new HeldAnswers({ bytesMax: 2 * answerBytes, largest: 0 }, () => now));
  refusedTo('slow');
  const { body } = (await offered[0]?.take()) ?? {};
  await body?.[Symbol.asyncIterator]().next();
  refusedTo('other');
  now = 26_000;
  expect(refusedTo('third')).toBeNull();
  expect(offered.map(({ options }) => options.signal?.aborted)).toEqual([true, false, false]);
  expect(held.bytes).toBe(2 * answerBytes);
});

it('gives the reply of the service where there is no space', async () => {
  const noSpace = () => OutcomeUnknownError.of('id');
  expect(() => setUp(new HeldAnswers({ bytesMax: 1 })).answer('ann', undefined, { noSpace })).toThrow(
    OutcomeUnknownError,
  );
  const { answer, held, refuseWith } = setUp();
  for (const error of [new BusyError(), new UnavailableError()]) {
    refuseWith(error);
    expect(() => answer('ann', undefined, { noSpace })).toThrow(OutcomeUnknownError);
    await turn();
    expect(held.bytes).toBe(0);
  }
});

it('D12 an offer that is not taken, or whose client has gone, ends the source of its answer', async () => {
  const { answer, offered, ended, cancel } = setUp();
  const { reply, left } = endless();
  answer('ann', reply);
  cancel.abort();
  expect([offered[0]?.options.signal?.aborted, ended.mock.calls.length]).toEqual([true, 0]);
  offered[0]?.options.ended?.();
  await turn();
  expect([left.mock.calls.length, ended.mock.calls.length]).toEqual([1, 1]);
});

const slowMs = 26_000;

function setUpHeld() {
  const clock = { now: 0 };
  const held = new HeldAnswers({ bytesMax: 400, largest: 100 }, () => clock.now);
  const ended: string[] = [];
  const take = (caller: string, bytes: number, name = caller) => {
    const answer = held.take(caller, bytes, () => ended.push(name));
    answer?.sent(1);
    return answer;
  };
  return { clock, held, ended, take };
}

it('E6 gives one caller half of the bytes, and leaves space for the largest answer of another', () => {
  const { held, take } = setUpHeld();
  expect([take('a', 100), take('a', 100), take('a', 1)].map(Boolean)).toEqual([true, true, false]);
  expect([take('b', 50), take('b', 50), take('b', 1)].map(Boolean)).toEqual([true, true, false]);
  expect([take('c', 100), take('d', 1)].map(Boolean)).toEqual([true, false]);
  expect(held.bytes).toBe(400);
});

it('has the bytes back once when an answer has been read', () => {
  const { held, take } = setUpHeld();
  const first = take('a', 100);
  take('a', 100);
  first?.release();
  first?.release();
  expect(held.bytes).toBe(100);
  expect([take('a', 100), take('a', 1)].map(Boolean)).toEqual([true, false]);
});

it('E6 ends slow readers beyond a quarter for another caller who finds no space, and as few as that takes', () => {
  const { clock, held, ended, take } = setUpHeld();
  take('slow', 60, 'slow 1');
  clock.now += 1;
  take('slow', 60, 'slow 2');
  take('slow', 60, 'slow 3');
  take('few', 100);
  take('late', 100);
  clock.now += slowMs;
  // No answer is ended for a caller who has a whole share.
  expect([take('slow', 21), ended]).toEqual([null, []]);
  expect([Boolean(take('other', 40)), ended]).toEqual([true, ['slow 1']]);
  expect([Boolean(take('third', 80)), ended]).toEqual([true, ['slow 1', 'slow 2']]);
  expect(held.bytes).toBe(380);
});

it('E6 ends no reader who takes ten kilobytes a second, and none up to a quarter', () => {
  const { clock, ended, take } = setUpHeld();
  const [quick, other] = [take('quick', 100), take('quick', 100)];
  take('slow', 100);
  clock.now += slowMs - 1_000;
  quick?.sent(256 * 1_024);
  other?.sent(256 * 1_024);
  clock.now += 1_000;
  expect(take('third', 100)).not.toBeNull();
  expect([take('fourth', 100), ended]).toEqual([null, []]);
});
