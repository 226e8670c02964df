import { randomBytes } from 'node:crypto';
import * as fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { BusError } from '../bus-error.ts';
import { receiveStream } from './incoming-stream.ts';
import { sendStream } from './outgoing-streams.ts';
import { heartbeatMs, idleMs, stallMs, type StreamFrame, type StreamLink } from './stream-link.ts';

const chunkBytes = 10;
const windowBytes = 80;

interface Sent {
  readonly subject: string;
  readonly frame: StreamFrame;
  readonly message: { payload: Uint8Array; replyTo: string };
}

/** Creates a connection in memory; for each message sent, the messages that `pass` returns are delivered. */
function fakeLink(pass: (sent: Sent) => Sent[] = (sent) => [sent]) {
  const listeners = new Map<string, Parameters<StreamLink['listen']>[1]>();
  const lostCallbacks = new Set<() => void>();
  const sent: Sent[] = [];
  let inboxes = 0;
  const link: StreamLink = {
    inbox: () => `inbox ${(inboxes += 1)}`,
    listen(subject, listener) {
      listeners.set(subject, listener);
      return () => listeners.delete(subject);
    },
    send(subject, frame, { payload = new Uint8Array(), replyTo = '' } = {}) {
      const one = { subject, frame, message: { payload, replyTo } };
      sent.push(one);
      for (const passed of pass(one)) {
        queueMicrotask(() => listeners.get(passed.subject)?.(passed.frame, passed.message));
      }
    },
    onLost(callback) {
      lostCallbacks.add(callback);
      return () => lostCallbacks.delete(callback);
    },
  };
  const lose = () => {
    for (const callback of lostCallbacks) callback();
  };
  const kinds = (kind: StreamFrame['kind']) => sent.filter(({ frame }) => frame.kind === kind);
  return { link, listeners, lostCallbacks, lose, kinds };
}

async function* pieces(...all: Uint8Array[]): AsyncGenerator<Uint8Array> {
  yield* all;
}

/** Opens both ends of one stream over this connection. */
function openStream(link: StreamLink, source: AsyncIterable<Uint8Array>, length: number | null = null) {
  let control = '';
  const outgoing = sendStream(link, { source, chunkBytes, open: (subject) => (control = subject) });
  const failed = outgoing.done.then(
    () => null,
    (error: BusError) => error.reason ?? error.message,
  );
  return { outgoing, failed, incoming: receiveStream(link, { length, control, windowBytes }) };
}

async function readAll(stream: AsyncIterable<Buffer>): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of stream) chunks.push(chunk);
  return Buffer.concat(chunks);
}

const reasonOf = (work: Promise<unknown>) =>
  work.then(
    () => 'done',
    (error: BusError) => error.reason,
  );

/** Waits until everything has run that needs no timer. */
async function settle(): Promise<void> {
  for (let i = 0; i < 50; i += 1) await new Promise((resolve) => setImmediate(resolve));
}

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval'] });
});
afterEach(() => {
  const left = vi.getTimerCount();
  vi.useRealTimers();
  if (left > 0) throw new Error(`${left} timers left`);
});

describe('a stream', () => {
  it('delivers any bytes, in whatever pieces the source yields them', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.uint8Array({ maxLength: 300 })), fc.boolean(), async (all, isLengthKnown) => {
        const whole = Buffer.concat(all);
        const { link, listeners, lostCallbacks } = fakeLink();
        const { outgoing, incoming } = openStream(link, pieces(...all), isLengthKnown ? whole.length : null);
        const { stream, length } = await incoming;
        expect(length).toBe(isLengthKnown ? whole.length : null);
        expect(await readAll(stream)).toEqual(whole);
        await outgoing.done;
        expect([listeners.size, lostCallbacks.size]).toEqual([0, 0]);
      }),
      { numRuns: 50 },
    );
  });

  it('sends chunks of at most chunkBytes, and renews the credit by eighths of a growing window', async () => {
    const { link, kinds } = fakeLink();
    const { incoming } = openStream(link, pieces(randomBytes(201)), 201);
    await readAll((await incoming).stream);
    expect(kinds('data').map(({ message }) => message.payload.length)).toEqual([...Array(20).fill(10), 1]);
    const credits = kinds('credit').map(({ frame }) => frame.bytes);
    expect(credits.slice(0, 9)).toEqual([20, 30, 40, 50, 70, 80, 90, 100, 120]);
  });

  it('sends no more than a quarter of a window while the reader reads nothing', async () => {
    const { link, kinds } = fakeLink();
    const { incoming } = openStream(link, pieces(randomBytes(1_000)), 1_000);
    const { stream } = await incoming;
    await settle();
    expect(kinds('data')).toHaveLength(2);
    stream.destroy();
    await settle();
  });

  it('continues as long as both ends send heartbeats, however slow the source is', async () => {
    const { link } = fakeLink();
    let produce: () => void = () => {};
    async function* slow() {
      for (let i = 0; i < 3; i += 1) {
        await new Promise<void>((resolve) => (produce = resolve));
        yield randomBytes(windowBytes);
      }
    }
    const { incoming } = openStream(link, slow());
    await settle();
    produce();
    const { stream } = await incoming;
    const all = readAll(stream);
    for (let i = 0; i < 2; i += 1) {
      for (let ms = 0; ms < 2 * stallMs; ms += heartbeatMs) {
        await vi.advanceTimersByTimeAsync(heartbeatMs);
        await settle();
      }
      produce();
      await settle();
    }
    expect(await all).toHaveLength(3 * windowBytes);
  });
});

describe('a broken stream', () => {
  const broken: Record<string, (sent: Sent) => Sent[]> = {
    'a chunk is lost': (sent) => (sent.frame.bytes === 20 ? [] : [sent]),
    'a chunk arrives twice': (sent) => (sent.frame.bytes === 20 ? [sent, sent] : [sent]),
    'the end frame gives a smaller length': (sent) => [
      sent.frame.kind === 'end' ? { ...sent, frame: { kind: 'end', bytes: 90 } } : sent,
    ],
    'the end frame arrives early': (sent) => [
      sent.frame.bytes === 20 ? { ...sent, frame: { kind: 'end', bytes: 20 } } : sent,
    ],
    'a chunk exceeds the credit': (sent) => [
      sent.frame.bytes === 20 ? { ...sent, message: { ...sent.message, payload: new Uint8Array(61) } } : sent,
    ],
    'a chunk is empty': (sent) => [
      sent.frame.bytes === 20 ? { ...sent, message: { ...sent.message, payload: new Uint8Array() } } : sent,
    ],
  };

  it.each(Object.entries(broken))('fails, and its sender stops, when %s', async (_what, pass) => {
    const { link, listeners } = fakeLink((sent) => (sent.subject.startsWith('inbox') ? pass(sent) : [sent]));
    const { failed, incoming } = openStream(link, pieces(randomBytes(100)), 100);
    expect(await reasonOf(incoming.then(({ stream }) => readAll(stream)))).toBe('lost');
    expect(await failed).toBeNull();
    expect(listeners.size).toBe(0);
  });

  it('fails when two chunks arrive in the wrong order', async () => {
    let held: Sent | undefined;
    const { link } = fakeLink((sent) => {
      if (sent.frame.bytes === 0) held = sent;
      else if (sent.frame.bytes === 10 && held) return [sent, held];
      else return [sent];
      return [];
    });
    const { incoming } = openStream(link, pieces(randomBytes(100)), 100);
    expect(await reasonOf(incoming.then(({ stream }) => readAll(stream)))).toBe('lost');
    await settle();
  });

  it('fails when its length is not the announced one', async () => {
    for (const length of [99, 101]) {
      const { link } = fakeLink();
      const { incoming } = openStream(link, pieces(randomBytes(100)), length);
      expect(await reasonOf(incoming.then(({ stream }) => readAll(stream)))).toBe('lost');
      await settle();
    }
  });

  it('fails on both ends when its source fails', async () => {
    const { link } = fakeLink();
    async function* failing() {
      yield randomBytes(10);
      throw new Error('disk');
    }
    const { outgoing, incoming } = openStream(link, failing());
    outgoing.done.catch(() => {});
    expect(await reasonOf(incoming.then(({ stream }) => readAll(stream)))).toBe('lost');
    await expect(outgoing.done).rejects.toThrow('disk');
  });
});

describe('a stream that loses an end', () => {
  it('fails on both ends, and leaves nothing behind, when the connection is already closed', async () => {
    const { link, lostCallbacks } = fakeLink();
    const closed = {
      ...link,
      listen() {
        throw new Error('closed');
      },
    };
    const { failed, incoming } = openStream(closed, pieces(randomBytes(100)), 100);
    expect(await reasonOf(incoming)).toBe('lost');
    expect(await failed).not.toBeNull();
    expect(lostCallbacks.size).toBe(0);
  });

  it('fails on both ends after the idle time when messages no longer arrive', async () => {
    let isCut = false;
    const { link, listeners } = fakeLink((sent) => (isCut ? [] : [sent]));
    const { failed, incoming } = openStream(link, pieces(randomBytes(1_000)), 1_000);
    const { stream } = await incoming;
    isCut = true;
    const all = reasonOf(readAll(stream));
    await vi.advanceTimersByTimeAsync(idleMs);
    expect(await all).toBe('timeout');
    expect(await failed).toBe('timeout');
    expect(listeners.size).toBe(0);
  });

  it('fails after the idle time when not even the first chunk arrives', async () => {
    const { link } = fakeLink(() => []);
    const { failed, incoming } = openStream(link, pieces(randomBytes(1_000)), 1_000);
    const reason = reasonOf(incoming);
    await vi.advanceTimersByTimeAsync(idleMs);
    expect([await reason, await failed]).toEqual(['timeout', 'timeout']);
  });

  it('stops its sender and closes its source when the reader destroys it', async () => {
    const { link, listeners } = fakeLink();
    let isLetGo = false;
    async function* endless() {
      try {
        for (;;) yield randomBytes(7);
      } finally {
        isLetGo = true;
      }
    }
    const { failed, incoming } = openStream(link, endless());
    const { stream } = await incoming;
    stream.destroy();
    expect(await failed).toBeNull();
    await settle();
    expect([isLetGo, listeners.size]).toEqual([true, 0]);
  });

  it('ends after the stall time when the reader reads nothing', async () => {
    const { link, listeners } = fakeLink();
    const { failed, incoming } = openStream(link, pieces(randomBytes(1_000)), 1_000);
    const { stream } = await incoming;
    const closed = new Promise((resolve) => stream.once('close', resolve));
    for (let ms = 0; ms < stallMs; ms += heartbeatMs) await vi.advanceTimersByTimeAsync(heartbeatMs);
    await closed;
    expect(stream.errored).toMatchObject({ reason: 'timeout' });
    expect(await failed).toBeNull();
    expect(listeners.size).toBe(0);
  });

  it('fails for the reader when the sender is stopped', async () => {
    const { link } = fakeLink();
    const { outgoing, failed, incoming } = openStream(link, pieces(randomBytes(1_000)), 1_000);
    const { stream } = await incoming;
    outgoing.stop();
    expect(await failed).toBe('lost');
    expect(await reasonOf(readAll(stream))).toBe('lost');
  });

  it('fails on both ends at once when the connection is lost', async () => {
    const { link, lose } = fakeLink();
    const { failed, incoming } = openStream(link, pieces(randomBytes(1_000)), 1_000);
    const { stream } = await incoming;
    lose();
    expect(await failed).toBe('lost');
    expect(await reasonOf(readAll(stream))).toBe('lost');
  });
});
