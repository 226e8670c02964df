import { createHmac } from 'node:crypto';
import { encodeState, subjects, type ProcessState } from '@trunkline/contracts';
import { beforeEach, expect, it } from 'vitest';
import { signState, verifiedState, type StateVault } from './process-state.ts';
import { createClusterState, type ClusterStateOptions } from './cluster-states.ts';

function vaultOf(secret: string): StateVault {
  const hmac = (_purpose: string, content: Uint8Array) => createHmac('sha256', secret).update(content).digest();
  return { hmac, hmacs: (purpose, content) => [hmac(purpose, content)] };
}

const vault = vaultOf('secret');
const idOf = (digit: number) => `${digit}`.repeat(8) + '-0000-4000-8000-000000000000';

function stateOf(digit: number, changed: Partial<ProcessState> = {}): ProcessState {
  return {
    id: idOf(digit),
    role: 'vcs-worker',
    version: '1.2.3',
    host: 'host',
    pid: digit,
    seconds: 1,
    memoryBytes: 1,
    childMemoryBytes: null,
    lanes: [],
    storages: [],
    calls: { count: 0, oldest: [] },
    operations: { count: 0, oldest: [] },
    lastError: null,
    ...changed,
  };
}

type Listener = (message: Uint8Array) => void;
let listeners: Map<string, Listener[]>;
/** Requests for states that were published, by their ids. */
let requests: string[];
/** Answers when a request comes. */
let respond: (requestId: string) => void;

const deliver = (subject: string, message: Uint8Array) => {
  for (const listener of listeners.get(subject) ?? []) listener(message);
};
const answer = (requestId: string, state: ProcessState, by = vault) =>
  deliver(subjects.stateAnswer, signState(by, encodeState(requestId, state)));

beforeEach(() => {
  listeners = new Map();
  requests = [];
  respond = () => {};
});

const own = stateOf(1, { role: 'gateway' });

function readCluster(changed: Partial<ClusterStateOptions> = {}) {
  return createClusterState({
    bus: {
      connected: true,
      listen: (subject, listener) => void listeners.set(subject, [...(listeners.get(subject) ?? []), listener]),
      publish(subject, message = new Uint8Array()) {
        if (subject !== subjects.stateRequest) return deliver(subject, message);
        const requestId = Buffer.from(verifiedState(vault, message) ?? []).toString();
        requests.push(requestId);
        deliver(subject, message);
        respond(requestId);
      },
    },
    vault,
    readOwn: () => own,
    listProcesses: async () => [{ role: 'vcs-worker', id: idOf(2) }],
    listStorages: async () => ['default'],
    waitMsMin: 0,
    waitMsMax: 50,
    ...changed,
  });
}

it('lists the processes that answer, and names those that do not', async () => {
  respond = (requestId) => answer(requestId, stateOf(3, { storages: ['default'] }));
  expect(await readCluster()()).toEqual({
    askedBy: own.id,
    answered: [own, stateOf(3, { storages: ['default'] })],
    absent: [{ role: 'vcs-worker', id: idOf(2) }],
    unserved: [],
    missing: [],
  });
});

it('waits no longer when all known processes have answered', async () => {
  const read = readCluster({ waitMsMax: 600_000 });
  respond = (requestId) => void setTimeout(() => answer(requestId, stateOf(2)));
  expect(await read()).toMatchObject({ absent: [], unserved: ['default'] });
});

it('E2 ignores answers that are not signed, for another request, or malformed', async () => {
  const stranger = vaultOf('x'.repeat(32));
  respond = (requestId) => {
    answer(requestId, stateOf(2), stranger);
    answer(idOf(9), stateOf(2));
    deliver(subjects.stateAnswer, signState(vault, Buffer.from(`${requestId}{`)));
    deliver(subjects.stateAnswer, Buffer.from('x'));
  };
  expect((await readCluster()()).answered).toEqual([own]);
});

it('E2 answers no request that is not signed with the secret of the instance', async () => {
  readCluster();
  let answers = 0;
  listeners.set(subjects.stateAnswer, [() => (answers += 1)]);
  deliver(subjects.stateRequest, signState(vaultOf('x'.repeat(32)), Buffer.from(idOf(9))));
  deliver(subjects.stateRequest, Buffer.from(idOf(9)));
  expect(answers).toBe(0);
  for (let at = 0; at < 1_000; at += 1) deliver(subjects.stateRequest, signState(vault, Buffer.from(idOf(9))));
  expect(answers).toBeGreaterThan(0);
  expect(answers).toBeLessThan(500);
});

it('shares one request among those who ask at the same time', async () => {
  const read = readCluster();
  const [one, other] = await Promise.all([read(), read()]);
  expect(one).toBe(other);
  expect(requests).toHaveLength(1);
});

it('says what could not be asked', async () => {
  const failing = async () => {
    throw new Error('no database');
  };
  const read = readCluster({
    bus: { connected: false, listen: () => {}, publish: () => {} },
    listProcesses: failing,
    listStorages: () => new Promise(() => {}),
  });
  expect(await read()).toEqual({
    askedBy: own.id,
    answered: [own],
    absent: [],
    unserved: [],
    missing: ['bus', 'database'],
  });
});
