import { once } from 'node:events';
import { setImmediate as decided } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import type { RepositoryAccess } from '../authz/authorize.ts';
import { GenerationCache } from './generation-cache.ts';
import { EncodedReply, ReplyCache, replyKey, type ReplyKey } from './reply-cache.ts';

const live = new AbortController().signal;
const bytesOfEntry = 1_024;

const keyOf = (digest: string, repositoryId = 1, generation = 1): ReplyKey => ({
  uuid: String(repositoryId),
  generation,
  digest,
});

const newCache = (bytesMax: number) => new ReplyCache(new GenerationCache(bytesMax));

/** Makes a reply, and counts how often it is made. */
function maker(bytes = 10, isUnchanged = true) {
  const made = { times: 0 };
  return {
    made,
    make: async () => {
      made.times += 1;
      return new Uint8Array(bytes).fill(made.times);
    },
    isUnchanged: async () => isUnchanged,
  };
}

/** Makes a reply that is ready when `open` is called. */
function gatedMaker() {
  const gate = new AbortController();
  const signals: AbortSignal[] = [];
  return {
    signals,
    open: () => gate.abort(),
    make: async (signal: AbortSignal) => {
      signals.push(signal);
      await once(gate.signal, 'abort');
      return new Uint8Array(1);
    },
    isUnchanged: async () => true,
  };
}

async function isNew(replies: ReplyCache, key: ReplyKey, bytes = 10): Promise<boolean> {
  const one = maker(bytes);
  await replies.get(key, one, live);
  await decided();
  return one.made.times === 1;
}

describe('ReplyCache', () => {
  it('a reply is made once for each key, and the same bytes answer later calls', async () => {
    const replies = newCache(1e6);
    const one = maker();
    const first = await replies.get(keyOf('a'), one, live);
    await decided();
    expect(await replies.get(keyOf('a'), one, live)).toBe(first);
    expect(one.made.times).toBe(1);
    expect(await isNew(replies, keyOf('b'))).toBe(true);
    expect(replies.figures).toMatchObject({ hits: 1, misses: 2, entries: 2 });
  });

  it.each([
    ['the repository may have changed', async () => false],
    ['it cannot be known whether the repository has changed', () => Promise.reject(new Error('no database'))],
  ])('a reply of which %s is not kept', async (_, isUnchanged) => {
    const replies = newCache(1e6);
    await replies.get(keyOf('a'), { ...maker(), isUnchanged }, live);
    await decided();
    expect(replies.has(keyOf('a'))).toBe(false);
  });

  it('a reply is there before it is decided whether it is kept, also for later calls', async () => {
    const replies = newCache(1e6);
    const one = maker();
    const decision = new AbortController();
    const isUnchanged = async () => (await once(decision.signal, 'abort'), true);
    const first = await replies.get(keyOf('a'), { ...one, isUnchanged }, live);
    expect(replies.has(keyOf('a'))).toBe(true);
    expect(await replies.get(keyOf('a'), one, live)).toBe(first);
    expect(one.made.times).toBe(1);
    expect(replies.figures).toMatchObject({ hits: 0, misses: 1, shared: 1, entries: 0 });
    decision.abort();
    await decided();
    expect(replies.figures).toMatchObject({ entries: 1 });
  });

  it('of many undecided replies only some wait to be kept', async () => {
    const replies = newCache(1e6);
    const decision = new AbortController();
    const decidedLater = once(decision.signal, 'abort');
    const isUnchanged = async () => (await decidedLater, true);
    const digests = Array.from({ length: 200 }, (_, index) => `${index}`);
    for (const [index, digest] of digests.entries()) {
      await replies.get(keyOf(digest, index), { ...maker(), isUnchanged }, live);
    }
    const there = digests.filter((digest) => replies.has(keyOf(digest)));
    expect(there).toEqual(digests.slice(0, 64));
    decision.abort();
  });

  it('undecided replies have a quarter of the memory, which is free again when they are decided', async () => {
    const replies = newCache(16 * (bytesOfEntry + 1_000));
    const decision = new AbortController();
    const decidedLater = once(decision.signal, 'abort');
    const isUnchanged = async () => (await decidedLater, false);
    const digests = Array.from({ length: 10 }, (_, index) => `${index}`);
    for (const [index, digest] of digests.entries()) {
      await replies.get(keyOf(digest, index), { ...maker(1_000), isUnchanged }, live);
    }
    expect(digests.filter((digest) => replies.has(keyOf(digest)))).toEqual(digests.slice(0, 4));
    decision.abort();
    await decided();
    for (const digest of ['a', 'b', 'c', 'd', 'e']) expect(await isNew(replies, keyOf(digest), 1_000)).toBe(true);
    expect(replies.has(keyOf('e'))).toBe(true);
  });

  it('undecided replies count with their bytes, whatever buffer they came in, and hold no more', async () => {
    const replies = newCache(16 * (bytesOfEntry + 1_000));
    const decision = new AbortController();
    const decidedLater = once(decision.signal, 'abort');
    const isUnchanged = async () => (await decidedLater, true);
    const make = async () => Buffer.alloc(100_000).subarray(0, 1_000);
    const digests = ['0', '1', '2', '3'];
    const made = [];
    for (const [index, digest] of digests.entries()) {
      made.push(await replies.get(keyOf(digest, index), { make, isUnchanged }, live));
    }
    expect(digests.filter((digest) => replies.has(keyOf(digest)))).toEqual(digests);
    expect(made.map(({ buffer }) => buffer.byteLength)).toEqual([1_000, 1_000, 1_000, 1_000]);
    decision.abort();
  });

  it('a failure is one of all calls that share it, and is not kept', async () => {
    const replies = newCache(1e6);
    const failing = { make: () => Promise.reject(new Error('broken')), isUnchanged: async () => true };
    const calls = [replies.get(keyOf('a'), failing, live), replies.get(keyOf('a'), failing, live)];
    for (const call of await Promise.allSettled(calls)) expect(call).toMatchObject({ reason: { message: 'broken' } });
    expect(replies.figures).toMatchObject({ misses: 1, shared: 1, entries: 0 });
    expect(await isNew(replies, keyOf('a'))).toBe(true);
  });

  it('a call that leaves ends the making only when it was the last one', async () => {
    const replies = newCache(1e6);
    const one = gatedMaker();
    const leaving = new AbortController();
    const [left, stayed] = [replies.get(keyOf('a'), one, leaving.signal), replies.get(keyOf('a'), one, live)];
    leaving.abort(new Error('gone'));
    await expect(left).rejects.toThrow('gone');
    expect(one.signals.map(({ aborted }) => aborted)).toEqual([false]);
    one.open();
    expect((await stayed).length).toBe(1);

    const last = new AbortController();
    const alone = gatedMaker();
    const only = replies.get(keyOf('b'), alone, last.signal);
    last.abort(new Error('gone'));
    await expect(only).rejects.toThrow('gone');
    expect(alone.signals.map(({ aborted }) => aborted)).toEqual([true]);
    alone.open();
  });

  it('the memory of all replies stays within its limit, the least recently used go first', async () => {
    const replies = newCache(8 * (bytesOfEntry + 1_000));
    const kept = new Map<string, Uint8Array>();
    for (let index = 0; index < 40; index += 1) {
      const digest = `${index}`;
      kept.set(digest, await replies.get(keyOf(digest, index), maker(1_000), live));
      await decided();
      expect(replies.figures.bytes).toBeLessThanOrEqual(8 * (bytesOfEntry + 1_000));
      // The first one is used again and again.
      await replies.get(keyOf('0', 0), maker(1_000), live);
    }
    const left = [...kept].filter(([digest]) => replies.has(keyOf(digest)));
    expect(left.map(([digest]) => digest)).toEqual(['0', '33', '34', '35', '36', '37', '38', '39']);
    // What the replies hold in memory is what was counted, whatever buffer they came in.
    const held = left.reduce((sum, [, { buffer }]) => sum + buffer.byteLength + bytesOfEntry, 0);
    expect(replies.figures.bytes).toBe(held);
  });

  it('a small reply holds no larger buffer in memory', async () => {
    const replies = newCache(1e6);
    const make = async () => Buffer.alloc(8_192).subarray(10, 20);
    await replies.get(keyOf('a'), { make, isUnchanged: async () => true }, live);
    await decided();
    const again = await replies.get(keyOf('a'), maker(), live);
    expect([again.length, again.buffer.byteLength]).toEqual([10, 10]);
  });

  it('E6 one repository has a quarter of the memory, and loses its own replies first', async () => {
    const replies = newCache(16 * (bytesOfEntry + 1_000));
    expect(await isNew(replies, keyOf('other', 2), 1_000)).toBe(true);
    for (let index = 0; index < 40; index += 1) await isNew(replies, keyOf(`${index}`), 1_000);
    const left = Array.from({ length: 40 }, (_, index) => `${index}`).filter((digest) => replies.has(keyOf(digest)));
    expect(left).toEqual(['36', '37', '38', '39']);
    expect(replies.has(keyOf('other'))).toBe(true);
    // A reply larger than the share is never kept, and takes nothing from the others.
    expect(await isNew(replies, keyOf('large'), 4 * (bytesOfEntry + 1_000))).toBe(true);
    expect(replies.has(keyOf('large'))).toBe(false);
    expect(replies.has(keyOf('36'))).toBe(true);
  });

  it('the first reply of another generation takes those of the former one out of memory', async () => {
    const replies = newCache(1e6);
    for (const digest of ['a', 'b']) await isNew(replies, keyOf(digest));
    await isNew(replies, keyOf('other', 2));
    await isNew(replies, keyOf('c', 1, 2));
    expect(['a', 'b', 'other', 'c'].map((digest) => replies.has(keyOf(digest)))).toEqual([false, false, true, true]);
    expect(replies.figures).toMatchObject({ entries: 2, bytes: 2 * (bytesOfEntry + 10) });
  });
});

it('a result has the bytes of a cached reply as they are', () => {
  const cached = new EncodedReply(Buffer.from('{"size": 1.0}'));
  const { payload } = EncodedReply.with({ shown: cached }, { repository: 'ü', none: null });
  expect(Buffer.from(payload).toString()).toBe('{"shown":{"size": 1.0},"repository":"ü","none":null}');
});

const repository: RepositoryAccess = {
  id: 1,
  uuid: 'u',
  name: 'group/lib',
  type: 'git',
  storageId: 's',
  storagePath: '@repos/aa/u',
  isFork: false,
  generation: 3,
  tipId: 'a'.repeat(40),
  tipRevision: 7,
  level: 10,
};
const args = { repoid: { id: 1, name: null, sent: 1 }, revision: 'tip', start_date: new Date(0) };
const digestOf = (method = 'get_changesets', sent: object = args, changed: Partial<RepositoryAccess> = {}) =>
  replyKey(method, sent, { ...repository, ...changed }).digest;

it('calls with the same method, arguments and state of the repository have one key, by whatever name and right', () => {
  expect(digestOf('get_changesets', { ...args, repoid: { id: null, name: 'group/lib', sent: 'group/lib' } })).toBe(
    digestOf(),
  );
  expect(digestOf('get_changesets', args, { level: 30 })).toBe(digestOf());
});

it('any other method, argument or state has a key of its own', () => {
  const others = [
    digestOf('get_changeset'),
    digestOf('get_changesets', { ...args, revision: 'HEAD' }),
    digestOf('get_changesets', { ...args, revision: null }),
    digestOf('get_changesets', { ...args, start_date: new Date(1) }),
    ...[
      { id: 2 },
      { uuid: 'v' },
      { name: 'lib' },
      { storageId: 't' },
      { storagePath: '@repos/aa/u.2' },
      { generation: 4 },
      { tipId: null },
    ].map((changed) => digestOf('get_changesets', args, changed)),
  ];
  expect(new Set([digestOf(), ...others]).size).toBe(others.length + 1);
});
