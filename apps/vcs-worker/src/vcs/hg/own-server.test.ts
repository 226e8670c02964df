import { describe, expect, it, vi } from 'vitest';
import { parseHgProgress, runWithRemote } from './own-server.ts';
import { EgressCounts, type EgressSession } from '../egress/egress-guard.ts';
import { limitsByWork } from '../process/command-limits.ts';

describe('parseHgProgress', () => {
  it.each([
    ['changesets  1/60 chunks', 'receiving changesets', 1, 60, 'changesets'],
    ['changesets 12 chunks', 'receiving changesets', 12, null, 'changesets'],
    ['manifests 60/60 chunks', 'receiving manifests', 60, 60, 'manifests'],
    ['files 31/30 files', 'receiving files', 31, null, 'files'],
    ['clone  1048576/10485760 bytes', 'receiving data', 1048576, 10485760, 'bytes'],
    ['linking  3/35 files', 'linking files', 3, 35, 'files'],
  ])('parses the line "%s"', (line, phase, done, total, unit) => {
    expect(parseHgProgress(line)).toEqual({ phase, done, total, unit });
  });

  it.each([
    '',
    '          ',
    'searching 1 queries',
    'remote: changesets  1/60 chunks',
    'changesets 1/60 chunks and more',
    'changesets 1/60 files',
    'changesets -1/60 chunks',
    `changesets ${'9'.repeat(16)} chunks`,
    'constructor 1/60 chunks',
    'abort: no',
  ])('D11 %j is no progress', (line) => {
    expect(parseHgProgress(line)).toBeNull();
  });
});

it('closes the egress session of a server that cannot be started', async () => {
  const close = vi.fn();
  const session: EgressSession = {
    host: '127.0.0.1',
    port: 1,
    username: 'u',
    password: 'p',
    bytesReceived: 0,
    failure: null,
    connect: () => Promise.reject(new Error('never')),
    close,
  };
  const options = {
    files: {
      login: '',
      connect: '',
      ssh: '',
      gitConfig: '',
      gitCommonDir: '',
      hgEgress: '',
      hgChanges: '',
      hgLastChanges: '',
      hgDiffs: '',
      hgPaths: '',
      hgRst: '',
      hgStored: '',
      hgServe: '',
      hgSockets: '',
      hgTemplate: '',
      failingSignerDir: '',
    },
    egress: { open: () => session, figures: new EgressCounts().with([]), close: async () => {} },
    sshDir: null,
    timeoutMs: 60_000,
    bytesMax: 1,
    limits: limitsByWork({ memoryBytes: 2 ** 32, importBytesMax: 1, fetchTimeoutMs: 60_000 }),
    // No program can have a NUL in its name.
    serverArgv: ['\0'],
  };
  const remote = { scheme: 'http', url: 'http://host.example/x', username: null, password: null } as const;
  await expect(runWithRemote(options, remote, new AbortController().signal, async () => {})).rejects.toThrow(
    'null bytes',
  );
  expect(close).toHaveBeenCalledTimes(1);
});
