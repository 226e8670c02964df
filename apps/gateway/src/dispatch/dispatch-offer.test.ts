import { Readable } from 'node:stream';
import { methods, OutcomeUnknownError, UnavailableError, type Method } from '@trunkline/contracts';
import { createSecretVault } from '@trunkline/db';
import { BusError } from '@trunkline/runtime';
import { Registry } from 'prom-client';
import { expect, it, vi } from 'vitest';
import { laneOf } from './command.ts';
import { createDispatch } from './dispatch.ts';
import { createDispatchMetrics } from './dispatch-metrics.ts';
import { LostOfferError, type OpenAnswer } from './answer.ts';
import { RepositoryHints } from './repository-hints.ts';

const requestId = '5c9f8a52-7a52-4d6f-9a0a-0b1b2d3f4a5c';
const caller = { userId: 1, ip: '192.0.2.1', credential: { kind: 'key', id: 2 } } as const;
const offer = Buffer.from('offer');

/** Creates a dispatch whose workers offer every answer after a second. */
function setUp() {
  const clock = { time: 0, now: () => clock.time, sleep: async () => {} };
  const openAnswer = vi.fn<OpenAnswer>(() => Promise.reject(new BusError('lost')));
  const dispatch = createDispatch({
    bus: {
      payloadBytesMax: 1_000,
      publish: () => {},
      async request() {
        clock.time += 1_000;
        return { payload: offer, isError: false, isOffer: true };
      },
    },
    openAnswer,
    vault: createSecretVault('s'.repeat(32)),
    transferTimeoutMs: 60_000,
    endWatch: { watch: () => () => {} },
    clock,
    routeOf: () => {
      throw new Error('no storage is asked');
    },
    hints: new RepositoryHints(),
    watchRead: () => () => {},
    metrics: createDispatchMetrics(new Registry()),
  });
  const run = (method: Method) => dispatch({ method, lane: laneOf(method, {}), args: {}, caller, requestId });
  return { openAnswer, run };
}

it('takes the offer of a large answer, in the time that is left and for the share of its caller', async () => {
  const { openAnswer, run } = setUp();
  const large = { length: null, stream: Readable.from([]) };
  openAnswer.mockResolvedValueOnce(large);
  expect(await run(methods.get_users)).toBe(large);
  const opening = { requestId, caller: 'user 1', timeoutMs: 4_000, signal: undefined };
  expect(openAnswer.mock.calls).toEqual([[offer, opening]]);
});

it('says of an answer that does not begin what it says of one that does not come', async () => {
  const { run } = setUp();
  await expect(run(methods.get_users)).rejects.toThrow(UnavailableError);
  await expect(run(methods.update_user_group)).rejects.toThrow(OutcomeUnknownError);
});

it('C6 sends a read again whose worker has died before the transfer of its answer, and three times at most', async () => {
  const { openAnswer, run } = setUp();
  const large = { length: null, stream: Readable.from([]) };
  openAnswer.mockRejectedValueOnce(new LostOfferError(new Error('died'))).mockResolvedValueOnce(large);
  expect(await run(methods.get_users)).toBe(large);
  expect(openAnswer).toHaveBeenCalledTimes(2);
  openAnswer.mockClear().mockRejectedValue(new LostOfferError(new Error('died')));
  await expect(run(methods.get_users)).rejects.toThrow(UnavailableError);
  expect(openAnswer).toHaveBeenCalledTimes(4);
});

it('does not send again what changes something, nor a read whose transfer fails for another reason', async () => {
  const { openAnswer, run } = setUp();
  openAnswer.mockRejectedValueOnce(new LostOfferError(new Error('died')));
  await expect(run(methods.update_user_group)).rejects.toThrow(OutcomeUnknownError);
  openAnswer.mockRejectedValueOnce(new BusError('lost'));
  await expect(run(methods.get_users)).rejects.toThrow(UnavailableError);
  expect(openAnswer).toHaveBeenCalledTimes(2);
});
