import { setImmediate as turn } from 'node:timers/promises';
import { encodeWorkerRequest, joinSignature, subjects, type Lane, type WorkerRequest } from '@trunkline/contracts';
import { createSecretVault } from '@trunkline/db';
import { createCallMetrics, createLogger, RunningWork, type Bus } from '@trunkline/runtime';
import { drizzle } from 'drizzle-orm/postgres-js';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { createLaneSlots, type LaneSlots } from '../admission/lane-slots.ts';
import { noSpace } from './command-runner.ts';
import { startResponder, type Responder, type ResponderOptions } from './responder.ts';

type Served = Parameters<Bus['serve']>[1];

const vault = createSecretVault('s'.repeat(32));
const timeLimitMs = 5_000;
const keptMsMax = 60_000;
const graceMs = 10_000;

let served: Map<string, Served>;
let responder: Responder;
/** What keeps the slots of calls after their answers. */
let kept: Promise<void> | null;
/** Fails the queries that have no answer. */
let fail: (error: Error) => void;

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['performance'] });
  served = new Map();
  kept = null;
  const unanswered = new Promise<never>((_, reject) => (fail = reject));
  unanswered.catch(() => {});
  const unsafe = () => Object.assign(unanswered, { values: () => unanswered });
  const db = drizzle({ options: { parsers: {}, serializers: {} }, unsafe } as never);
  const environment = { tools: { vault }, db, repositoryService: null, dataPort: null };
  const bus = {
    serve: (subject: string, options: Served) => {
      served.set(subject, options);
      return { inFlight: 0, isSubscribed: true, drain: async () => {} };
    },
    listen: () => {},
  };
  const lanes = (['metadata', 'storage'] as const).map((lane) => ({ lane, slots: oneSlot(), timeLimitMs, keptMsMax }));
  responder = startResponder({
    worker: 'one',
    bus: bus as unknown as Bus,
    environment: environment as unknown as ResponderOptions['environment'],
    storages: ['default'],
    lanes,
    metrics: createCallMetrics('vcs-worker'),
    logger: createLogger({ role: 'test', level: 'silent' }),
    calls: new RunningWork(),
    tracing: null,
  });
});
afterEach(async () => {
  await responder.drain(0);
  vi.useRealTimers();
});

function oneSlot(): LaneSlots {
  const slots = createLaneSlots(1);
  const tryTake = slots.tryTake.bind(slots);
  vi.spyOn(slots, 'tryTake').mockImplementation((caller) => {
    const slot = tryTake(caller);
    if (kept) slot?.keepFor(kept);
    return slot;
  });
  return slots;
}

const isSilent = (lane: Lane, storage: string | null) => served.get(subjects.ping(lane, storage))?.isSilent?.();

function commandOf(method: string, args: WorkerRequest['args']): Uint8Array {
  const request: WorkerRequest = {
    method,
    args,
    caller: { userId: 1, ip: '192.0.2.1', credential: { kind: 'key', id: 1 } },
    callerKey: 'user 1',
    requestId: '00000000-0000-4000-8000-000000000000',
    timeoutMs: timeLimitMs,
    sentAt: Date.now(),
  };
  const body = encodeWorkerRequest(request);
  return joinSignature(vault.hmac('bus command', body), body);
}

/** Begins a call of the lane `metadata` whose query has no answer. */
function beginCall(): Promise<unknown> | undefined {
  const { signal } = new AbortController();
  const command = commandOf('get_ip', { userid: 'ann' });
  return served.get(subjects.rpcLane('metadata', null))?.handle(command, signal, () => {});
}

it('does not answer the ping of a lane whose slots are all held by calls that go on after their time', async () => {
  const call = beginCall();
  await turn();
  vi.advanceTimersByTime(timeLimitMs + graceMs - 1);
  expect(isSilent('metadata', null)).toBe(false);
  vi.advanceTimersByTime(1);
  expect([isSilent('metadata', null), isSilent('storage', 'default')]).toEqual([true, false]);

  fail(new Error('the connection was lost'));
  await call;
  expect(isSilent('metadata', null)).toBe(false);
});

it('does not answer that ping either while work keeps all slots after the answers for longer than it may', async () => {
  let endWork = () => {};
  kept = new Promise((resolve) => (endWork = resolve));
  const call = beginCall();
  await turn();
  fail(new Error('the connection was lost'));
  await call;
  vi.advanceTimersByTime(keptMsMax + graceMs - 1);
  expect(isSilent('metadata', null)).toBe(false);
  vi.advanceTimersByTime(1);
  expect(isSilent('metadata', null)).toBe(true);
  endWork();
  await turn();
  expect(isSilent('metadata', null)).toBe(false);
});

it('says that the service is busy where a large answer finds no space, and of a write that its outcome is unknown', () => {
  const codeOf = (method: string) => noSpace({ method, requestId: 'id' }).code;
  expect([codeOf('get_users'), codeOf('update_user_group')]).toEqual(['busy', 'outcome_unknown']);
});
