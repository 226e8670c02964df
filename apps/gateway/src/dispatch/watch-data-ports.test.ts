import { Readable } from 'node:stream';
import { encodeResult, subjects } from '@trunkline/contracts';
import { BusError, DataError, type DataClient } from '@trunkline/runtime';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { watchDataPorts } from './watch-data-ports.ts';

const token = 'A'.repeat(43);
const offerOf = (address: string) => ({ address, ticket: token, expiresMs: 5_000, hmac: token });
const minuteMs = 60_000;

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function setUp(transfer: DataClient['transfer']) {
  const state = { payloads: [] as Uint8Array[], asked: [] as string[], isSigned: true };
  const logged: (readonly [string, string])[] = [];
  const log = (level: string) => (first: unknown, text?: string) => void logged.push([level, text ?? String(first)]);
  const transferred = vi.fn<DataClient['transfer']>(transfer);
  let reconnect = (): void => {};
  const watch = watchDataPorts({
    bus: {
      onReconnect: (callback) => (reconnect = callback),
      async requestAll(subject, _payload, _windowMs, onReply) {
        state.asked.push(subject);
        if (state.payloads.length === 0) throw new BusError('no-responders');
        state.payloads.forEach(onReply);
      },
    },
    client: { isSigned: () => state.isSigned, transfer: transferred },
    logger: { info: log('info'), warn: log('warn') } as never,
  });
  const answerWith = (...addresses: string[]) =>
    (state.payloads = addresses.map((address) => encodeResult(offerOf(address)).payload));
  const nextMinute = () => vi.advanceTimersByTimeAsync(minuteMs);
  return { state, logged, transferred, watch, answerWith, nextMinute, reconnect: () => reconnect() };
}

/** Sends back what it gets. */
const echo: DataClient['transfer'] = async (_offer, _requestId, options) => ({
  status: 200,
  headers: {},
  body: Readable.from(options?.body ?? []),
});

it('checks each data port once it is seen, and every minute, and says once that it was reached', async () => {
  const { answerWith, nextMinute, transferred, logged } = setUp(echo);
  await nextMinute();
  answerWith('http://10.0.0.1:1', 'http://10.0.0.2:1');
  await nextMinute();
  await nextMinute();
  const both = ['http://10.0.0.1:1', 'http://10.0.0.2:1'];
  expect(transferred.mock.calls.map(([offer]) => offer.address)).toEqual([...both, ...both]);
  const words = ['info', 'data port of a worker reached'];
  expect(logged).toEqual([words, words]);
});

it('says once in words that a data port cannot be reached, and tries again', async () => {
  let isAway = true;
  const { answerWith, nextMinute, logged, transferred, watch } = setUp(async (...args) => {
    if (isAway) throw new DataError('unreachable');
    return echo(...args);
  });
  answerWith('http://10.0.0.1:1');
  await nextMinute();
  await nextMinute();
  const words = 'the data port of a worker cannot be reached: no connection could be opened';
  expect(logged).toEqual([['warn', words]]);
  expect(watch.unreachable()).toEqual(['http://10.0.0.1:1']);
  isAway = false;
  await nextMinute();
  expect(watch.unreachable()).toEqual([]);
  expect(logged).toEqual([
    ['warn', words],
    ['info', 'data port of a worker reached'],
  ]);
  expect(transferred).toHaveBeenCalledTimes(3);
});

it('does not believe a port that sends other bytes', async () => {
  const { answerWith, nextMinute, logged } = setUp(async () => ({
    status: 200,
    headers: {},
    body: Readable.from([Buffer.from('other')]),
  }));
  answerWith('http://10.0.0.1:1');
  await nextMinute();
  expect(logged).toEqual([['warn', 'the data port of a worker cannot be reached: it does not answer as a data port']]);
});

it('F2 connects to no port of an offer that is not signed, and says so once', async () => {
  const { state, answerWith, nextMinute, logged, transferred } = setUp(echo);
  state.isSigned = false;
  answerWith('http://10.0.0.1:1', 'http://10.0.0.2:1');
  await nextMinute();
  await nextMinute();
  expect(transferred).not.toHaveBeenCalled();
  expect(logged).toEqual([
    ['warn', 'a data port cannot be used: the offer is not signed by a worker with the same TRUNKLINE_SECRET'],
  ]);
});

it('asks at once and after a reconnection, ignores other messages, and stops', async () => {
  const { state, watch, reconnect, nextMinute, transferred } = setUp(echo);
  state.payloads = [Buffer.from('hello')];
  reconnect();
  expect(state.asked).toEqual([subjects.dataPorts, subjects.dataPorts]);
  watch.stop();
  await nextMinute();
  expect(state.asked).toHaveLength(2);
  expect(transferred).not.toHaveBeenCalled();
});

it('lists no data port of a worker that has stopped', async () => {
  const { answerWith, nextMinute, watch } = setUp(async () => {
    throw new DataError('unreachable');
  });
  answerWith('http://10.0.0.1:1', 'http://10.0.0.2:1');
  await nextMinute();
  answerWith('http://10.0.0.2:1');
  await nextMinute();
  expect(watch.unreachable()).toEqual(['http://10.0.0.2:1']);
});
