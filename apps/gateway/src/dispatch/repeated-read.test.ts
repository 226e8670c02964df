import { Readable } from 'node:stream';
import { encodeResult, methods, type Method } from '@trunkline/contracts';
import { createSecretVault } from '@trunkline/db';
import { BusError, type BusReply } from '@trunkline/runtime';
import { Registry } from 'prom-client';
import { describe, expect, it, vi } from 'vitest';
import { systemClock } from '../clock.ts';
import { createDispatch } from './dispatch.ts';
import { createDispatchMetrics } from './dispatch-metrics.ts';
import { RepositoryHints } from './repository-hints.ts';

const waitMs = { timeout: 20_000 };
const requestId = '5c9f8a52-7a52-4d6f-9a0a-0b1b2d3f4a5c';
const caller = { userId: 1, ip: '192.0.2.1', credential: { kind: 'key', id: 2 } } as const;
const replyOf = (value: string): BusReply => ({ payload: encodeResult(value).payload, isError: false });

interface Sent {
  readonly resolve: (reply: BusReply) => void;
  readonly reject: (error: BusError) => void;
  readonly begin: (() => void) | undefined;
}

/** Creates a dispatch whose requests the test answers; `losing` has the watched reads, which the test takes for lost. */
function setUp() {
  const sent: Sent[] = [];
  const losing = new Set<() => void>();
  const dispatch = createDispatch({
    bus: {
      payloadBytesMax: 1_000,
      publish: () => {},
      request: (_subject, _payload, _timeoutMs, _signal, begin) =>
        new Promise<BusReply>((resolve, reject) => sent.push({ resolve, reject, begin })),
    },
    vault: createSecretVault('s'.repeat(32)),
    transferTimeoutMs: 60_000,
    endWatch: { watch: () => () => {} },
    clock: systemClock,
    routeOf: () => ({
      first: async () => 'default',
      afterWrongStorage: async () => null,
      afterUnserved: async () => null,
      afterNotFound: () => {},
    }),
    hints: new RepositoryHints(),
    watchRead(_id, lost) {
      losing.add(lost);
      return () => losing.delete(lost);
    },
    metrics: createDispatchMetrics(new Registry()),
  });
  const ask = (method: Method) => {
    const asked = dispatch({ method, lane: 'storage', args: { repoid: 'x' }, caller, requestId });
    asked.catch(() => {});
    return asked;
  };
  const lose = () => losing.forEach((lost) => lost());
  const sending = (count: number) => vi.waitFor(() => expect(sent).toHaveLength(count), waitMs);
  return { sent, losing, lose, ask, sending };
}

describe('C6 a read whose worker has died', () => {
  it('is sent once more, and a reply of the first worker is dropped', async () => {
    const { sent, losing, lose, ask, sending } = setUp();
    const asked = ask(methods.get_repo_nodes);
    await sending(1);
    lose();
    await sending(2);
    const stream = Readable.from([Buffer.from('x')]);
    sent[0]?.resolve({ payload: { stream, length: null, bytesRead: () => 0 }, isError: false });
    const answer = replyOf('second');
    sent[1]?.resolve(answer);
    expect(await asked).toBe(answer.payload);
    await vi.waitFor(() => expect(stream.destroyed).toBe(true), waitMs);
    expect(losing.size).toBe(0);
  });

  it('is unavailable when no other worker is there', async () => {
    const { sent, lose, ask, sending } = setUp();
    const asked = ask(methods.get_repo_nodes);
    await sending(1);
    lose();
    await sending(2);
    sent[1]?.reject(new BusError('no-responders'));
    await sending(3);
    sent[2]?.reject(new BusError('no-responders'));
    await expect(asked).rejects.toThrow('Service is temporarily unavailable, try again later');
  });

  it('is not watched any more once its answer has begun, nor when it was sent again', async () => {
    const { sent, losing, lose, ask, sending } = setUp();
    void ask(methods.get_repo_nodes);
    await sending(1);
    sent[0]?.begin?.();
    expect(losing.size).toBe(0);
    void ask(methods.get_repo_nodes);
    await sending(2);
    lose();
    await sending(3);
    expect(losing.size).toBe(1);
    expect(sent[2]?.begin).toBeUndefined();
  });

  it.each([methods.update_repo, methods.fork_repo])(
    'is not watched when it is a write or an operation',
    async (method) => {
      const { losing, ask, sending } = setUp();
      void ask(method);
      await sending(1);
      expect(losing.size).toBe(0);
    },
  );
});
