import {
  decodeWorkerRequest,
  encodeError,
  encodeResult,
  methods,
  splitSignature,
  UnavailableError,
  WrongStorageError,
  type Method,
} from '@trunkline/contracts';
import { createSecretVault } from '@trunkline/db';
import { BusError, type BusReply } from '@trunkline/runtime';
import { Registry } from 'prom-client';
import { expect, it } from 'vitest';
import { laneOf } from './command.ts';
import { createDispatch } from './dispatch.ts';
import { createDispatchMetrics } from './dispatch-metrics.ts';
import { RepositoryHints } from './repository-hints.ts';
import { createStorageRoute } from './storage-route.ts';

const vault = createSecretVault('s'.repeat(32));
const requestId = '5c9f8a52-7a52-4d6f-9a0a-0b1b2d3f4a5c';
const caller = { userId: 1, ip: '192.0.2.1', credential: { kind: 'key', id: 2 } } as const;
const done: BusReply = { payload: encodeResult('done').payload, isError: false };
const active = { state: 'active', weight: 100, capacityBytes: null, freeBytes: null } as const;

/** Creates a dispatch to the storages `a` and `b`, with the repository 5 on `a`; counts messages and statements. */
function setUp(...answers: (BusReply | BusError)[]) {
  const clock = {
    time: 0,
    now: () => clock.time,
    async sleep(ms: number) {
      clock.time += ms;
    },
  };
  const sent: { subject: string; storage: string | undefined; requestId: string }[] = [];
  const bus = {
    payloadBytesMax: 1_000,
    publish: () => {},
    async request(subject: string, payload: Uint8Array) {
      const request = decodeWorkerRequest(splitSignature(payload).body);
      sent.push({ subject, storage: request.storage, requestId: request.requestId });
      const answer = answers.shift() ?? done;
      if (answer instanceof BusError) throw answer;
      return answer;
    },
  };
  const all = ['a', 'b'].map((name) => ({ ...active, id: `id of ${name}`, name }));
  const hints = new RepositoryHints();
  const statements: unknown[] = [];
  const routing = {
    directory: { all: async () => all, refreshed: async () => all, nameOf: (id: string) => id.slice(-1) },
    hints,
    async locate(ref: unknown) {
      statements.push(ref);
      return { id: 5, name: 'x', storageId: 'id of a' };
    },
    random: () => 0,
    freeBytesMin: 1,
  };
  const dispatch = createDispatch({
    openAnswer: () => Promise.reject(new Error('no offer')),
    bus,
    vault,
    transferTimeoutMs: 60_000,
    endWatch: { watch: () => () => {} },
    clock,
    routeOf: (command) => createStorageRoute(routing, command),
    hints,
    watchRead: () => () => {},
    metrics: createDispatchMetrics(new Registry()),
  });
  const run = (method: Method = methods.get_repo_nodes, args: unknown = { repoid: 5 }) =>
    dispatch({ method, lane: laneOf(method, args), args, caller, requestId });
  return { clock, sent, statements, run };
}

const wrong = (storage: string): BusReply => ({
  payload: encodeError(new WrongStorageError(storage)).payload,
  isError: true,
});
const nodes = (storage: string) => ({
  subject: `trunkline.rpc.storage.${storage}.get_repo_nodes`,
  storage,
  requestId,
});

it('a call costs one message, and one statement for a repository that was not asked for before', async () => {
  const { sent, statements, run } = setUp();
  for (let calls = 1; calls <= 3; calls += 1) {
    await run();
    expect([sent.length, statements.length]).toEqual([calls, 1]);
  }
  await run(methods.get_repo);
  expect([sent.length, statements.length]).toEqual([4, 1]);
  expect(sent.slice(2)).toEqual([
    nodes('a'),
    { subject: 'trunkline.rpc.metadata.get_repo', storage: undefined, requestId },
  ]);
});

it('a call about a repository that has moved costs one more message, once', async () => {
  const { sent, statements, run } = setUp(wrong('b'));
  expect(await run()).toBe(done.payload);
  await run();
  expect(sent).toEqual([nodes('a'), nodes('b'), nodes('b')]);
  expect(statements).toHaveLength(1);
});

it('workers that name each other end a call after one message to each', async () => {
  const { sent, run } = setUp(wrong('b'), wrong('a'));
  await expect(run()).rejects.toThrow(new UnavailableError());
  expect(sent).toEqual([nodes('a'), nodes('b')]);
});

it('a new repository goes to another storage at once when nobody serves the first', async () => {
  const { clock, sent, run } = setUp(new BusError('no-responders'));
  expect(await run(methods.create_repo, {})).toBe(done.payload);
  expect(sent.map(({ storage }) => storage)).toEqual(['a', 'b']);
  expect(clock.time).toBe(0);
});

it('E5 a call fails when nobody serves its storage, which is asked twice', async () => {
  const { sent, run } = setUp(new BusError('no-responders'), new BusError('no-responders'));
  await expect(run()).rejects.toThrow(new UnavailableError());
  expect(sent).toEqual([nodes('a'), nodes('a')]);
});
