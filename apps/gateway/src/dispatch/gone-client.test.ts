import { setMaxListeners } from 'node:events';
import { Readable } from 'node:stream';
import { encodeResult, methods, splitSignature, subjects, type Method } from '@trunkline/contracts';
import { createSecretVault } from '@trunkline/db';
import { BusError, type BusReply } from '@trunkline/runtime';
import { Registry } from 'prom-client';
import { describe, expect, it, vi } from 'vitest';
import { systemClock } from '../clock.ts';
import { createDispatch } from './dispatch.ts';
import { createDispatchMetrics } from './dispatch-metrics.ts';
import { RepositoryHints } from './repository-hints.ts';

const waitMs = { timeout: 20_000 };
const vault = createSecretVault('s'.repeat(32));
const requestId = '5c9f8a52-7a52-4d6f-9a0a-0b1b2d3f4a5c';
const caller = { userId: 1, ip: '192.0.2.1', credential: { kind: 'key', id: 2 } } as const;
const result: BusReply = { payload: encodeResult('done').payload, isError: false };
const gone = new Error('gone');

/** Creates a dispatch whose worker answers by `answer`, or when the request is abandoned. */
function setUp() {
  const sent: string[] = [];
  const published: { subject: string; payload: Uint8Array }[] = [];
  let answer: (reply: BusReply) => void = () => {};
  const bus = {
    payloadBytesMax: 1_000,
    publish: (subject: string, payload = new Uint8Array()) => void published.push({ subject, payload }),
    request: (subject: string, _payload: Uint8Array, _timeoutMs: number, signal?: AbortSignal) => {
      sent.push(subject);
      return new Promise<BusReply>((resolve, reject) => {
        answer = resolve;
        signal?.addEventListener('abort', () => reject(new BusError('abandoned')));
      });
    },
  };
  const endWatch = { watch: () => () => {} };
  const dispatch = createDispatch({
    openAnswer: () => Promise.reject(new Error('no offer')),
    bus,
    vault,
    transferTimeoutMs: 60_000,
    endWatch,
    clock: systemClock,
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
  const ask = (method: Method, clientGone: AbortSignal) => {
    const command = { method, lane: 'storage', args: { repoid: 'x' }, caller, requestId, clientGone } as const;
    const asked = dispatch(command);
    asked.catch(() => {});
    return asked;
  };
  /** Waits until this many commands have been sent. */
  const sending = (count: number) => vi.waitFor(() => expect(sent).toHaveLength(count), waitMs);
  return { sent, published, ask, sending, answer: (reply: BusReply) => answer(reply) };
}

describe('D12 when the client goes', () => {
  it('has the workers end its report, which makes no repairs', async () => {
    const { published, ask, sending } = setUp();
    const controller = new AbortController();
    const answer = ask(methods.get_consistency_report, controller.signal);
    await sending(1);
    controller.abort(gone);
    await expect(answer).rejects.toBe(gone);
    expect(published.map(({ subject }) => subject)).toEqual([subjects.callCancelled]);
  });

  it('has the workers end its read, with a signed message', async () => {
    const { published, ask, sending } = setUp();
    const controller = new AbortController();
    const answer = ask(methods.get_repo_nodes, controller.signal);
    await sending(1);
    controller.abort(gone);
    await expect(answer).rejects.toBe(gone);
    const { signature, body } = splitSignature(published[0]?.payload ?? new Uint8Array());
    expect([published.length, published[0]?.subject, Buffer.from(body).toString()]).toEqual([
      1,
      subjects.callCancelled,
      requestId,
    ]);
    expect(vault.hmac('bus cancellation', body).equals(signature)).toBe(true);
  });

  it('does not send its read that waits in the queue, or that comes later', async () => {
    const { sent, published, ask, sending } = setUp();
    const staying = new AbortController();
    setMaxListeners(0, staying.signal);
    const controller = new AbortController();
    for (let index = 0; index < 16; index += 1) void ask(methods.get_repo_nodes, staying.signal);
    await sending(16);
    const waiting = ask(methods.get_repo_nodes, controller.signal);
    controller.abort(gone);
    await expect(waiting).rejects.toBe(gone);
    await expect(ask(methods.get_repo_nodes, controller.signal)).rejects.toBe(gone);
    expect([sent.length, published.length]).toEqual([16, 0]);
  });

  it('destroys the stream of an answer that it has begun to read', async () => {
    const stream = Readable.from([Buffer.from('x')]).on('error', () => {});
    const { ask, sending, answer } = setUp();
    const controller = new AbortController();
    const asked = ask(methods.get_repo_nodes, controller.signal);
    await sending(1);
    answer({ payload: { stream, length: null }, isError: false });
    await asked;
    controller.abort(gone);
    expect(stream.destroyed).toBe(true);
  });

  it.each([methods.update_repo, methods.fork_repo])('goes on with a write or an operation', async (method) => {
    const { sent, published, ask, sending, answer } = setUp();
    const controller = new AbortController();
    const running = ask(method, controller.signal);
    await sending(1);
    controller.abort(gone);
    answer(result);
    expect(await running).toBe(result.payload);
    expect([sent.length, published.length]).toEqual([1, 0]);
  });
});
