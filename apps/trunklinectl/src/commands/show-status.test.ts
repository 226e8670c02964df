import type { ProcessState } from '@trunkline/contracts';
import { expect, it } from 'vitest';
import { formatCluster } from './show-status.ts';

const gateway: ProcessState = {
  id: '11111111-1111-4111-8111-111111111111',
  role: 'gateway',
  version: '0.2.0',
  host: 'one',
  pid: 7,
  seconds: 60,
  memoryBytes: 150_000_000,
  childMemoryBytes: null,
  lanes: [],
  storages: [],
  calls: { count: 0, oldest: [] },
  operations: { count: 0, oldest: [] },
  lastError: null,
};
const worker: ProcessState = {
  ...gateway,
  id: '22222222-2222-4222-8222-222222222222',
  role: 'vcs-worker',
  version: '0.1.0\u001b[2J',
  lanes: [{ lane: 'metadata', slots: 64, busy: 2 }],
  storages: ['default'],
  calls: { count: 1, oldest: [{ id: 'call-id', method: 'get_repo', lane: 'metadata', ms: 1_400 }] },
  operations: { count: 1, oldest: [{ id: 'operation-id', kind: 'verify', ms: 65_000 }] },
};
const storages = [
  { name: 'default', state: 'active', repositories: 12, capacityBytes: 2_000_000_000, freeBytes: 500_000_000 },
];

it('shows processes, lanes, storages, what runs and what is missing', () => {
  const absent = [{ role: 'gateway' as const, id: '33333333-3333-4333-8333-333333333333' }];
  const text = formatCluster(
    { askedBy: null, answered: [gateway, worker], absent, unserved: ['second'], missing: ['bus'] },
    storages,
  );
  const lines = text.split('\n').map((line) => line.replaceAll(/ {2,}/g, ' | '));
  expect(lines).toEqual([
    'PROCESS | ID | VERSION | HOST:PID | AGE | MEMORY | RUNS | STORAGES | BUSY SLOTS',
    'gateway | 11111111 | 0.2.0 | one:7 | 60 s | 150 MB | 0 calls, 0 operations',
    'worker | 22222222 | 0.1.0?[2J | one:7 | 60 s | 150 MB | 1 calls, 1 operations | default | metadata 2/64',
    '',
    'STORAGE | STATE | REPOSITORIES | FREE | OF',
    'default | active | 12 | 500 MB | 2.0 GB',
    '',
    'PROCESS | LANE | WHAT | SINCE | ID',
    '22222222 | operation | verify | 65 s | operation-id',
    '22222222 | metadata | get_repo | 1 s | call-id',
    '',
    'The bus did not answer, so that processes may be missing here.',
    '',
    'The gateway 33333333-3333-4333-8333-333333333333 is connected to the database and does not answer.',
    '',
    'No worker that answers serves the storage second.',
    '',
    expect.stringMatching(/^Processes of different versions run: /),
  ]);
});

it('says when nothing runs, and when nobody answers', () => {
  const text = formatCluster({ askedBy: null, answered: [], absent: [], unserved: [], missing: [] }, []);
  expect(text).toContain('Nothing runs now.');
  expect(text).toContain('No process answers: they do not run, or have another TRUNKLINE_SECRET.');
});
