import {
  BusyError,
  decodeWorkerRequest,
  encodeError,
  encodeResult,
  ForbiddenError,
  InvalidRequestError,
  MethodNotFoundError,
  methods,
  OutcomeUnknownError,
  splitSignature,
  UnavailableError,
  type Method,
} from '@trunkline/contracts';
import { createSecretVault } from '@trunkline/db';
import { BusError, type BusReply } from '@trunkline/runtime';
import { Registry } from 'prom-client';
import { describe, expect, it, vi } from 'vitest';
import { laneOf } from './command.ts';
import { createDispatch } from './dispatch.ts';
import { createDispatchMetrics } from './dispatch-metrics.ts';
import { RepositoryHints } from './repository-hints.ts';

const waitMs = { timeout: 20_000 };
const vault = createSecretVault('s'.repeat(32));
const requestId = '5c9f8a52-7a52-4d6f-9a0a-0b1b2d3f4a5c';
const caller = { userId: 1, ip: '192.0.2.1', credential: { kind: 'key', id: 2 } } as const;
const result: BusReply = { payload: encodeResult('done').payload, isError: false };
const busy: BusReply = { payload: encodeError(new BusyError()).payload, isError: true };

/** Creates a dispatch on a bus that returns these answers in turn, and then repeats the last one. */
function setUp(...answers: (BusReply | BusError)[]) {
  const clock = {
    time: 0,
    now: () => clock.time,
    async sleep(ms: number) {
      clock.time += ms;
    },
  };
  const sent: { subject: string; request: ReturnType<typeof decodeWorkerRequest>; timeoutMs: number }[] = [];
  const bus = {
    payloadBytesMax: 1_000,
    publish: () => {},
    async request(subject: string, payload: Uint8Array, timeoutMs: number) {
      sent.push({ subject, request: decodeWorkerRequest(splitSignature(payload).body), timeoutMs });
      const answer = answers.length > 1 ? answers.shift() : answers[0];
      if (!answer || answer instanceof BusError) throw answer;
      return answer;
    },
  };
  const endWatch = { watch: () => () => {} };
  const dispatch = createDispatch({
    openAnswer: () => Promise.reject(new Error('no offer')),
    bus,
    vault,
    transferTimeoutMs: 60_000,
    endWatch,
    clock,
    routeOf: () => ({
      first: async () => 'default',
      afterWrongStorage: async () => null,
      afterUnserved: async () => null,
      afterNotFound: () => {},
    }),
    hints: new RepositoryHints(),
    watchRead: () => () => {},
    metrics: createDispatchMetrics(new Registry()),
  });
  const run = (method: Method = methods.get_user, args: unknown = {}) =>
    dispatch({ method, lane: laneOf(method, args), args, caller, requestId });
  return { clock, sent, bus, dispatch, run };
}

describe('createDispatch', () => {
  it('sends method, arguments, caller and time limit on the subject of lane and method', async () => {
    const { sent, run } = setUp(result);
    expect(await run(methods.get_ip, { userid: 1 })).toBe(result.payload);
    expect(sent).toEqual([
      {
        subject: 'trunkline.rpc.metadata.get_ip',
        request: {
          method: 'get_ip',
          args: { userid: 1 },
          caller,
          callerKey: 'user 1',
          requestId,
          takesOffer: true,
          timeoutMs: 4_750,
          sentAt: expect.any(Number),
        },
        timeoutMs: 5_000,
      },
    ]);
  });

  it('gives a transfer the configured time limit', async () => {
    const { sent, run } = setUp(result);
    await run(methods.create_repo, { clone_uri: 'https://example.org/r' });
    expect(sent[0]).toMatchObject({ subject: 'trunkline.rpc.transfer.default.create_repo', timeoutMs: 60_000 });
  });

  it.each([[null], [5], ['clone_uri'], [[1]], [{}], [{ clone_uri: '' }]])(
    'counts no create_repo with args %j as an import',
    (args) => {
      expect(laneOf(methods.create_repo, args)).toBe('storage');
    },
  );

  it('throws the error that a worker returned', async () => {
    const forbidden = new ForbiddenError('Access was denied to this resource.');
    const { sent, run } = setUp({ payload: encodeError(forbidden).payload, isError: true });
    await expect(run()).rejects.toThrow(forbidden);
    expect(sent).toHaveLength(1);
  });

  it('E6 sends at most 16 calls of a user about one repository at once, and calls about others besides', async () => {
    const { sent, bus, dispatch } = setUp(result);
    bus.request = async (subject, payload, timeoutMs) => {
      sent.push({ subject, request: decodeWorkerRequest(splitSignature(payload).body), timeoutMs });
      return new Promise(() => {});
    };
    const ask = (userId: number, repoid: unknown) => {
      const command = { lane: 'storage', args: { repoid }, caller: { ...caller, userId }, requestId } as const;
      void dispatch({ ...command, method: methods.get_repo_nodes }).catch(() => {});
    };
    for (let index = 0; index < 50; index += 1) ask(1, 'hot');
    ask(1, 'cold');
    ask(2, 'hot');
    await vi.waitFor(() => expect(sent.length).toBeGreaterThanOrEqual(18), waitMs);
    const sentCalls = sent.map(({ request }) => [request.caller.userId, request.args]);
    expect(sentCalls.filter(([userId]) => userId === 1)).toHaveLength(17);
    expect(sentCalls.slice(-2)).toEqual([
      [1, { repoid: 'cold' }],
      [2, { repoid: 'hot' }],
    ]);
  });

  it('E6 refuses a call that has waited in the queue for half of its time', async () => {
    vi.useFakeTimers();
    const { bus, run } = setUp(result);
    bus.request = () => new Promise(() => {});
    const ask = () => run(methods.get_repo, { repoid: 'hot' });
    for (let index = 0; index < 16; index += 1) void ask();
    const refused = ask();
    refused.catch(() => {});
    await vi.advanceTimersByTimeAsync(2_499);
    expect(vi.getTimerCount()).toBe(1);
    await vi.advanceTimersByTimeAsync(1);
    await expect(refused).rejects.toThrow(BusyError);
    vi.useRealTimers();
  });

  it.each([{ repoid: { toString: 1, valueOf: 1 } }, { repoid: [{ toString: null }] }, { repoid: null }, {}])(
    'A6 leaves a repoid of any type to workers to check: %j',
    async (args) => {
      const { sent, run } = setUp(result);
      expect(await run(methods.get_repo_nodes, args)).toBe(result.payload);
      expect(sent[0]?.request.args).toEqual(args);
    },
  );

  it('E5 retries while workers are busy, with the time that is left', async () => {
    const { clock, sent, run } = setUp(busy, busy, busy, result);
    await run(methods.create_user);
    expect(sent).toHaveLength(4);
    expect(clock.time).toBeGreaterThan(0);
    expect(sent[3]?.timeoutMs).toBe(Math.ceil(5_000 - clock.time));
  });

  it.each([
    [methods.get_user, 5_000],
    [methods.pull, 10_000],
  ])('throws BusyError in time when workers stay busy', async (operation, msMax) => {
    const { clock, run } = setUp(busy);
    await expect(run(operation)).rejects.toThrow(BusyError);
    expect(clock.time).toBeLessThan(msMax);
    expect(clock.time).toBeGreaterThan(msMax - 700);
  });

  it('E5 retries while workers do not know the method, since those of the previous release may lack it', async () => {
    const unknown: BusReply = { payload: encodeError(new MethodNotFoundError('x')).payload, isError: true };
    const { sent, run } = setUp(unknown, unknown, result);
    expect(await run(methods.create_user)).toBe(result.payload);
    expect(sent).toHaveLength(3);
    await expect(setUp(unknown).run(methods.create_user)).rejects.toThrow(BusyError);
  });

  it('E5 asks no other worker when a call of a new view ends with a worker that does not know it', async () => {
    const unknown: BusReply = { payload: encodeError(new MethodNotFoundError('x')).payload, isError: true };
    const { sent, dispatch } = setUp(unknown, result);
    const method = methods.get_user;
    const asked = dispatch({ method, lane: method.lane, args: {}, caller, requestId, endsWhenUnknown: true });
    await expect(asked).rejects.toThrow(MethodNotFoundError);
    expect(sent).toHaveLength(1);
  });

  it('E5 sends no write to a worker when less than a second of its time is left', async () => {
    for (const method of [methods.create_user, methods.delete_repo]) {
      const { sent, run } = setUp(busy);
      await expect(run(method)).rejects.toThrow(BusyError);
      expect(Math.min(...sent.map(({ timeoutMs }) => timeoutMs))).toBeGreaterThanOrEqual(1_000);
    }
  });

  it('E5 sends no read when its time is up before an answer could arrive', async () => {
    const { sent, run } = setUp(busy);
    await expect(run(methods.get_user)).rejects.toThrow(BusyError);
    // Of this, a quarter of a second is for the way back.
    expect(Math.min(...sent.map(({ timeoutMs }) => timeoutMs))).toBeGreaterThan(250);
  });

  it('E5 retries once when there are no responders, then throws UnavailableError', async () => {
    const nobody = new BusError('no-responders');
    const back = setUp(nobody, result);
    await back.run(methods.delete_repo);
    expect(back.clock.time).toBeLessThanOrEqual(30);
    const unserved = setUp(nobody);
    await expect(unserved.run(methods.delete_repo)).rejects.toThrow(UnavailableError);
    expect(unserved.sent).toHaveLength(2);
    expect(unserved.clock.time).toBeLessThanOrEqual(30);
  });

  it('E5 throws UnavailableError at once while the bus is not connected', async () => {
    const { clock, sent, run } = setUp(new BusError('not-connected'));
    await expect(run(methods.pull)).rejects.toThrow(UnavailableError);
    expect(sent).toHaveLength(1);
    expect(clock.time).toBe(0);
  });

  it.each(['timeout', 'lost'] as const)('never retries a request that may have run: %s', async (reason) => {
    const read = setUp(new BusError(reason));
    await expect(read.run(methods.get_user)).rejects.toThrow(UnavailableError);
    for (const operation of [methods.create_user, methods.delete_repo]) {
      const change = setUp(new BusError(reason));
      await expect(change.run(operation)).rejects.toThrow(OutcomeUnknownError.of(requestId));
      expect(change.sent).toHaveLength(1);
    }
  });

  it('throws an error with the limit of the bus for a request that is too large', async () => {
    const { run } = setUp(new BusError('too-large'));
    await expect(run()).rejects.toThrow(new InvalidRequestError('Request body is too large (limit 1000 bytes)'));
  });
});
