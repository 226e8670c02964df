import { setImmediate as turn } from 'node:timers/promises';
import { encodeWorkerRequest, joinSignature, subjects, type Lane, type WorkerRequest } from '@trunkline/contracts';
import { createSecretVault } from '@trunkline/db';
import { createCallMetrics, createLogger, RunningWork, type Bus } from '@trunkline/runtime';
import { drizzle } from 'drizzle-orm/postgres-js';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { createLaneSlots } from '../admission/lane-slots.ts';
import { startResponder, type Responder, type ResponderOptions } from './responder.ts';

type Served = Parameters<Bus['serve']>[1];

const vault = createSecretVault('s'.repeat(32));
const timeLimitMs = 5_000;
const graceMs = 10_000;

let served: Map<string, Served>;
let responder: Responder;
/** Fails the queries that have no answer. */
let fail: (error: Error) => void;

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['performance'] });
  served = new Map();
  const unanswered = new Promise<never>((_, reject) => (fail = reject));
  unanswered.catch(() => {});
  const unsafe = () => Object.assign(unanswered, { values: () => unanswered });
  const db = drizzle({ options: { parsers: {}, serializers: {} }, unsafe } as never);
  const environment = { tools: { vault }, handlerTools: {}, db, bytes: null, dataPort: null };
  const bus = {
    serve: (subject: string, options: Served) => {
      served.set(subject, options);
      return { inFlight: 0, isSubscribed: true, drain: async () => {} };
    },
    listen: () => {},
  };
  const lanes = (['metadata', 'storage'] as const).map((lane) => ({ lane, slots: createLaneSlots(1), timeLimitMs }));
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

const isSilent = (lane: Lane, storage: string | null) => served.get(subjects.ping(lane, storage))?.isSilent?.();

/** Begins a call of the lane `metadata` whose query has no answer. */
function beginCall(): Promise<unknown> | undefined {
  const request: WorkerRequest = {
    method: 'get_ip',
    args: { userid: 'ann' },
    caller: { userId: 1, ip: '192.0.2.1', credential: { kind: 'key', id: 1 } },
    callerKey: 'user 1',
    requestId: '00000000-0000-4000-8000-000000000000',
    timeoutMs: timeLimitMs,
    sentAt: Date.now(),
  };
  const body = encodeWorkerRequest(request);
  const command = joinSignature(vault.hmac('bus command', body), body);
  const { signal } = new AbortController();
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
