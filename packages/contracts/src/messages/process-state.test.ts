import { expect, it } from 'vitest';
import { decodeState, encodeState, stateBytesMax, stateRequestIdOf, type ProcessState } from './process-state.ts';

const requestId = '00000000-0000-4000-8000-000000000000';
const state: ProcessState = {
  id: '11111111-1111-4111-8111-111111111111',
  role: 'vcs-worker',
  version: '1.2.3',
  host: 'host',
  pid: 1,
  seconds: 2,
  memoryBytes: 3,
  childMemoryBytes: null,
  lanes: [{ lane: 'metadata', slots: 64, busy: 1 }],
  storages: ['default'],
  calls: { count: 1, oldest: [{ id: requestId, method: 'get_repo', lane: 'metadata', ms: 4 }] },
  operations: { count: 0, oldest: [] },
  lastError: { at: '2026-11-23T10:00:00.000Z', about: 'call get_repo TypeError' },
};

it('an answer keeps the id of its request and the state', () => {
  const body = encodeState(requestId, state);
  expect(stateRequestIdOf(body)).toBe(requestId);
  expect(decodeState(body)).toEqual(state);
});

it('an answer lists 200 storages, and leaves out further ones', () => {
  const storages = Array.from({ length: 1_000 }, (_, at) => `${'s'.repeat(28)}${at}`);
  const body = encodeState(requestId, { ...state, storages });
  expect(body.length).toBeLessThan(stateBytesMax);
  expect(decodeState(body)?.storages).toEqual(storages.slice(0, 200));
});

it.each([
  ['a number of slots that is none', { lanes: [{ lane: 'x', slots: -1, busy: 0 }] }],
  ['a role that no process has', { role: 'visitor' }],
  ['more calls than are shown', { calls: { count: 21, oldest: Array(21).fill(state.calls.oldest[0]) } }],
  ['a text that is too long', { version: 'x'.repeat(256) }],
])('an answer with %s is none', (_what, changed) => {
  expect(decodeState(Buffer.from(requestId + JSON.stringify({ ...state, ...changed })))).toBeNull();
});

it('any other message is no answer', () => {
  expect(decodeState(Buffer.from(requestId))).toBeNull();
  expect(decodeState(Buffer.from(requestId + JSON.stringify(state) + ' '.repeat(stateBytesMax)))).toBeNull();
});
