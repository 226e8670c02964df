import { Readable } from 'node:stream';
import {
  encodeResult,
  methods,
  RpcError,
  subjects as workerSubjects,
  UnavailableError,
  type Method,
} from '@trunkline/contracts';
import { createSecretVault } from '@trunkline/db';
import { BusError, type BusReply } from '@trunkline/runtime';
import { Registry } from 'prom-client';
import { describe, expect, it, vi } from 'vitest';
import { systemClock } from '../clock.ts';
import { laneOf } from './command.ts';
import { createDispatch } from './dispatch.ts';
import { createDispatchMetrics } from './dispatch-metrics.ts';
import { RepositoryHints } from './repository-hints.ts';

const waitMs = { timeout: 20_000 };
const requestId = '5c9f8a52-7a52-4d6f-9a0a-0b1b2d3f4a5c';
const caller = { userId: 1, ip: '192.0.2.1', credential: { kind: 'key', id: 2 } } as const;
const replyOf = (value: string): BusReply => ({ payload: encodeResult(value).payload, isError: false });

interface Sent {
  readonly subject: string;
  readonly resolve: (reply: BusReply) => void;
  readonly reject: (error: BusError) => void;
  readonly begin: (() => void) | undefined;
}

/** Creates a dispatch whose requests the test answers; `losing` has the watched reads, which the test takes for lost. */
function setUp() {
  const sent: Sent[] = [];
  const losing = new Set<() => void>();
  const published: string[] = [];
  const dispatch = createDispatch({
    openAnswer: () => Promise.reject(new Error('no offer')),
    bus: {
      payloadBytesMax: 1_000,
      publish: (subject) => void published.push(subject),
      request: (subject, _payload, _timeoutMs, _signal, begin) =>
        new Promise<BusReply>((resolve, reject) => sent.push({ subject, resolve, reject, begin })),
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
  const ask = (method: Method, clientGone = new AbortController().signal) => {
    const asked = dispatch({ method, lane: laneOf(method, {}), args: { repoid: 'x' }, caller, requestId, clientGone });
    asked.catch(() => {});
    return asked;
  };
  const lose = () => losing.forEach((lost) => lost());
  const sending = (count: number) => vi.waitFor(() => expect(sent).toHaveLength(count), waitMs);
  return { sent, losing, lose, ask, sending, published };
}

describe('C6 a read whose worker has died', () => {
  it('is sent once more, and a reply of the first worker is dropped', async () => {
    const { sent, losing, lose, ask, sending } = setUp();
    const asked = ask(methods.get_repo_nodes);
    await sending(1);
    lose();
    await sending(2);
    const stream = Readable.from([Buffer.from('x')]);
    sent[0]?.resolve({ payload: { stream, length: null }, isError: false });
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

  it('is not watched any more once its answer has begun', async () => {
    const { sent, losing, ask, sending } = setUp();
    void ask(methods.get_repo_nodes);
    await sending(1);
    expect(losing.size).toBe(1);
    sent[0]?.begin?.();
    expect(losing.size).toBe(0);
  });

  it('is sent again three times at most, and only the last reply counts', async () => {
    const { sent, losing, lose, ask, sending } = setUp();
    const asked = ask(methods.get_repo_nodes);
    for (const times of [1, 2, 3]) {
      await sending(times);
      lose();
      losing.clear();
    }
    await sending(4);
    expect(losing.size).toBe(0);
    for (const [index, { resolve }] of sent.entries()) resolve(replyOf(`${index}`));
    expect(await asked).toEqual(replyOf('3').payload);
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

describe('createDispatch', () => {
  describe('a call without an answer', () => {
    const id = '7d1f4a50-0c61-4be6-8f6c-0d8a2f1f0c11';
    const toGroup = 'trunkline.rpc.metadata.get_user';
    const toPing = 'trunkline.ping.metadata';
    const toWorker = `trunkline.direct.${id}.get_user`;

    /** Asks for a user; the worker of the request is lost, and the ping answered by `found`. */
    async function loseWorker(found: BusReply | BusError) {
      const { sent, lose, ask, sending } = setUp();
      const asked = ask(methods.get_user);
      await sending(1);
      lose();
      await sending(2);
      if (found instanceof BusError) sent[1]?.reject(found);
      else sent[1]?.resolve(found);
      await sending(3);
      return { sent, asked, sending, subjects: () => sent.map(({ subject }) => subject) };
    }

    it('E5 is sent again, when it is a read of the lane metadata, to a worker that answers a ping', async () => {
      const { sent, asked, subjects } = await loseWorker(replyOf(id));
      const answer = replyOf('done');
      sent[2]?.resolve(answer);
      expect(await asked).toBe(answer.payload);
      expect(subjects()).toEqual([toGroup, toPing, toWorker]);
    });

    it.each([
      ['no worker answers', new BusError('timeout')],
      ['the worker does not name itself', replyOf('pong')],
      ['the answer is no id', replyOf('>.>')],
      ['the answer is no JSON', { payload: new Uint8Array([1]), isError: false }],
    ])('E5 is sent again to the queue group when %s, and fails when its time is up', async (_case, found) => {
      const { sent, asked, subjects } = await loseWorker(found);
      sent[2]?.reject(new BusError('timeout'));
      await expect(asked).rejects.toThrow(UnavailableError);
      expect(subjects()).toEqual([toGroup, toPing, toGroup]);
    });

    it('E5 is sent again to the queue group when the worker that answered the ping has gone', async () => {
      const { sent, sending, subjects } = await loseWorker(replyOf(id));
      sent[2]?.reject(new BusError('no-responders'));
      await sending(4);
      expect(subjects()).toEqual([toGroup, toPing, toWorker, toGroup]);
    });

    it('D12 is not sent again when its client goes during the ping, and ends where it was sent', async () => {
      const { sent, lose, ask, sending, published } = setUp();
      const [leaving, gone] = [new AbortController(), new Error('gone')];
      const asked = ask(methods.get_user, leaving.signal);
      await sending(1);
      lose();
      await sending(2);
      leaving.abort(gone);
      sent[1]?.resolve(replyOf(id));
      await vi.waitFor(() => expect(published).toEqual([workerSubjects.callCancelled]), waitMs);
      await expect(asked).rejects.toBe(gone);
      expect(sent).toHaveLength(2);
    });

    it.each([methods.get_repo_nodes, methods.wait_operation])(
      'E5 is sent again to the queue group when it is a read of another lane',
      async (method) => {
        const { sent, lose, ask, sending } = setUp();
        void ask(method);
        await sending(1);
        lose();
        await sending(2);
        expect(sent.map(({ subject }) => subject)).toEqual(
          Array(2).fill(`trunkline.rpc.storage.default.${method.name}`),
        );
      },
    );

    it.each([methods.create_user, methods.delete_repo])('E4 is not sent again when it is no read', async (method) => {
      const { sent, lose, ask, sending } = setUp();
      const asked = ask(method);
      await sending(1);
      lose();
      sent[0]?.reject(new BusError('timeout'));
      await expect(asked).rejects.toBeInstanceOf(RpcError);
      expect(sent).toHaveLength(1);
    });
  });
});
