import { expect, it, vi } from 'vitest';
import { EgressCounts, type EgressSession } from '../egress/egress-guard.ts';
import { limitsByWork } from '../process/command-limits.ts';
import { runWithRemote } from './own-server.ts';

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
      hgEgress: '',
      hgChanges: '',
      hgWire: '',
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
