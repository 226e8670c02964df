import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { collectBytes } from '../../collect-bytes.ts';
import type { BeginAnswer, CachedAnswer } from './cached-answer.ts';
import { CloneCache, type CloneCacheOptions } from './clone-cache.ts';

vi.setConfig({ testTimeout: 60_000 });

const never = new AbortController().signal;
const long = 'x'.repeat(25);

let directory: string;
const reportFailure = vi.fn();
const opened: CloneCache[] = [];
beforeEach(async () => {
  reportFailure.mockClear();
  directory = await mkdtemp(join(tmpdir(), 'trunkline-clone-cache-'));
});
afterEach(async () => {
  for (const cache of opened.splice(0)) cache.close();
  await rm(directory, { recursive: true, force: true });
});

function openCache(options: Partial<CloneCacheOptions> = {}, fileBytes = 1_000) {
  const limits = { stepBytes: 10, aheadBytes: 10, lateMsMax: 600_000 };
  const cache = new CloneCache({ directory, reportFailure, ...limits, ...options });
  cache.space.resize(fileBytes);
  opened.push(cache);
  return cache;
}

const keyOf = (digest: string, repositoryId = 1) => ({ repositoryId, digest });
const until = (holds: () => boolean) => vi.waitUntil(holds, { timeout: 50_000, interval: 2 });

/** A small answer; each that is made differs. */
function small({ mayBeKept = true } = {}) {
  return vi.fn<BeginAnswer>(async () => ({
    type: null,
    content: Buffer.from(`small ${Math.random()}`),
    mayBeKept: () => mayBeKept,
  }));
}

/** A large answer, whose source waits before its end while it is held, and its signals. */
function large(text = long, { mayBeKept = true } = {}) {
  let release = () => {};
  let held: Promise<void> | null = null;
  const signals: AbortSignal[] = [];
  const begin = vi.fn<BeginAnswer>(async (signal) => {
    signals.push(signal);
    const pieces = async function* () {
      yield Buffer.from(text.slice(0, 5));
      const aborted = new Promise<never>((_resolve, reject) => {
        signal.addEventListener('abort', () => reject(new Error('ended')), { once: true });
      });
      aborted.catch(() => {});
      if (held) await Promise.race([held, aborted]);
      yield Buffer.from(text.slice(5));
    };
    return { type: 'application/mercurial-0.2', content: pieces(), mayBeKept: () => mayBeKept };
  });
  return {
    begin,
    signals,
    hold() {
      held = new Promise((resolve) => (release = resolve));
    },
    release: () => release(),
  };
}

async function textOf({ content }: CachedAnswer): Promise<string> {
  return (content instanceof Uint8Array ? content : await collectBytes(content)).toString();
}

/** Asks for an answer and reads all of it; resolves when the cache has done so, too. */
async function ask(cache: CloneCache, key: ReturnType<typeof keyOf>, begin: BeginAnswer): Promise<string> {
  return textOf(await cache.get(key, begin, never));
}

describe('small answers', () => {
  it('are kept from the first request on, by key', async () => {
    const cache = openCache({}, 0);
    const begin = small();
    const first = await ask(cache, keyOf('a'), begin);
    expect(await ask(cache, keyOf('a'), begin)).toBe(first);
    expect(await ask(cache, keyOf('b'), begin)).not.toBe(first);
    expect(await ask(cache, keyOf('a', 2), begin)).not.toBe(first);
    expect(cache.figures).toMatchObject({ hits: 1, misses: 3, small: { entries: 3 } });
  });

  it('of requests at the same time are made once', async () => {
    const cache = openCache();
    const begin = small();
    const answers = await Promise.all(Array.from({ length: 5 }, () => ask(cache, keyOf('a'), begin)));
    expect(new Set(answers).size).toBe(1);
    expect(begin).toHaveBeenCalledOnce();
    expect(cache.figures).toMatchObject({ misses: 1, shared: 4 });
  });

  it('that told their client of a failure are not kept, and neither are failures', async () => {
    const cache = openCache();
    const refused = small({ mayBeKept: false });
    await ask(cache, keyOf('a'), refused);
    await ask(cache, keyOf('a'), refused);
    expect(refused).toHaveBeenCalledTimes(2);
    await expect(ask(cache, keyOf('b'), () => Promise.reject(new Error('broken')))).rejects.toThrow('broken');
    await ask(cache, keyOf('b'), small());
    expect(cache.figures).toMatchObject({ hits: 0, small: { entries: 1 } });
  });
});

describe('large answers', () => {
  it('are kept in a file from the second request on', async () => {
    const cache = openCache();
    const { begin } = large();
    for (let at = 0; at < 4; at += 1) {
      const answer = await cache.get(keyOf('a'), begin, never);
      expect(answer.type).toBe('application/mercurial-0.2');
      expect(await textOf(answer)).toBe(long);
    }
    expect(begin).toHaveBeenCalledTimes(2);
    expect(cache.figures).toMatchObject({ hits: 2, misses: 2, files: { entries: 1, bytes: 25 } });
    expect(await readdir(directory)).toEqual([]);
  });

  it('of requests at the same time are made once, and kept', async () => {
    const cache = openCache();
    const { begin, hold, release } = large();
    hold();
    // Each request has a signal of its own.
    const get = () => cache.get(keyOf('a'), begin, new AbortController().signal);
    const answers = await Promise.all(Array.from({ length: 15 }, get));
    answers.push(await cache.get(keyOf('a'), begin, never));
    release();
    for (const answer of answers) expect(await textOf(answer)).toBe(long);
    expect(await ask(cache, keyOf('a'), begin)).toBe(long);
    expect(begin).toHaveBeenCalledOnce();
    expect(cache.figures).toMatchObject({ hits: 1, misses: 1, shared: 15 });
  });

  it('go on when their first reader leaves, and end with the last one', async () => {
    const cache = openCache();
    const { begin, hold, release, signals } = large();
    hold();
    const [first, second] = await Promise.all([1, 2].map(() => cache.get(keyOf('a'), begin, never)));
    if (!first || !second) throw new Error('no answers');
    first.end();
    expect(signals[0]?.aborted).toBe(false);
    release();
    expect(await textOf(second)).toBe(long);

    hold();
    const only = await cache.get(keyOf('b'), begin, never);
    only.end();
    expect(signals[1]?.aborted).toBe(true);
    await until(() => cache.figures.files.bytes === 25);
    expect(cache.figures.files.entries).toBe(1);
  });

  it('that fail are failures of all readers, and are not kept', async () => {
    const cache = openCache();
    const failing: BeginAnswer = async () => {
      const pieces = async function* () {
        yield Buffer.from('the beginning');
        throw new Error('broken');
      };
      return { type: null, content: pieces(), mayBeKept: () => true };
    };
    for (let round = 0; round < 2; round += 1) {
      const answers = await Promise.all([1, 2].map(() => cache.get(keyOf('a'), failing, never)));
      for (const answer of answers) await expect(textOf(answer)).rejects.toThrow('broken');
    }
    expect(await ask(cache, keyOf('a'), large().begin)).toBe(long);
    expect(cache.figures).toMatchObject({ hits: 0, files: { entries: 1 } });
  });

  it('that told their client of a failure are not kept', async () => {
    const cache = openCache();
    const { begin } = large(long, { mayBeKept: false });
    for (let at = 0; at < 3; at += 1) await ask(cache, keyOf('a'), begin);
    expect(begin).toHaveBeenCalledTimes(3);
    expect(cache.figures.files).toEqual({ entries: 0, bytes: 0 });
  });

  it('that are larger than those that are kept come as others do', async () => {
    const cache = openCache({ keptBytesMax: 24 });
    const { begin } = large();
    for (let at = 0; at < 3; at += 1) expect(await ask(cache, keyOf('a'), begin)).toBe(long);
    expect(cache.figures).toMatchObject({ misses: 3, files: { entries: 0, bytes: 0 } });
  });

  it('that nobody has asked for before have no file', async () => {
    const cache = openCache();
    const text = 'y'.repeat(500);
    const { begin, hold, release } = large(text);
    hold();
    const first = await cache.get(keyOf('a'), begin, never);
    expect(cache.figures.files.bytes).toBe(0);
    release();
    expect(await textOf(first)).toBe(text);
    expect(await ask(cache, keyOf('a'), begin)).toBe(text);
    expect(cache.figures.files).toEqual({ entries: 1, bytes: 500 });
  });

  it('that were used least recently go first when bytes or files are needed', async () => {
    for (const [options, bytes] of [
      [{}, 60],
      [{ filesMax: 2 }, 1_000],
    ] as const) {
      const cache = openCache(options, bytes);
      const { begin } = large();
      for (const repository of [1, 1, 2, 2, 1, 3, 3]) await ask(cache, keyOf('a', repository), begin);
      expect(begin).toHaveBeenCalledTimes(6);
      await ask(cache, keyOf('a', 1), begin);
      expect(begin).toHaveBeenCalledTimes(6);
      await ask(cache, keyOf('a', 2), begin);
      expect(begin).toHaveBeenCalledTimes(7);
      expect(cache.figures.files.bytes).toBeLessThanOrEqual(bytes);
    }
  });

  it('E6 of one repository have half of the bytes and files, and make way for each other first', async () => {
    for (const [options, bytes] of [[{}, 110] as const, [{ filesMax: 4 }, 1_000] as const]) {
      const cache = openCache(options, bytes);
      const { begin } = large();
      const others = ['a', 'b', 'c', 'd'].map((digest) => keyOf(digest, 2));
      for (const key of [keyOf('a'), ...others]) for (let at = 0; at < 2; at += 1) await ask(cache, key, begin);
      expect(cache.figures.files).toEqual({ entries: 3, bytes: 75 });
      for (const key of [keyOf('a'), ...others.slice(2)]) await ask(cache, key, begin);
      expect(begin).toHaveBeenCalledTimes(10);
    }
  });

  it('are read to their end after they have gone', async () => {
    const cache = openCache();
    const { begin } = large();
    for (let at = 0; at < 2; at += 1) await ask(cache, keyOf('a'), begin);
    const answer = await cache.get(keyOf('a'), begin, never);
    cache.space.resize(0);
    cache.forgetRepository(1);
    expect(await textOf(answer)).toBe(long);
    expect(cache.figures.files).toEqual({ entries: 0, bytes: 0 });
  });

  it('come without a file when there is no space, or none can be opened', async () => {
    const full = openCache({}, 0);
    const broken = openCache({ directory: join(directory, 'missing') });
    for (const cache of [full, broken]) {
      const { begin } = large();
      const answers = await Promise.all(Array.from({ length: 3 }, () => ask(cache, keyOf('a'), begin)));
      expect(answers).toEqual([long, long, long]);
      expect(begin).toHaveBeenCalledTimes(3);
      expect(cache.figures.files).toEqual({ entries: 0, bytes: 0 });
    }
    expect(reportFailure).toHaveBeenCalled();
  });
});

it('a request whose signal aborts leaves the others, and the last one ends the work', async () => {
  const cache = openCache();
  const signals: AbortSignal[] = [];
  const begin: BeginAnswer = (signal) => {
    signals.push(signal);
    return new Promise((_resolve, reject) => {
      signal.addEventListener('abort', () => reject(new Error('ended')), { once: true });
    });
  };
  const [one, two] = [new AbortController(), new AbortController()];
  const asked = [one, two].map(({ signal }) => cache.get(keyOf('a'), begin, signal));
  const gone = asked.map((answer) => expect(answer).rejects.toThrow('gone'));
  one.abort(new Error('gone'));
  await gone[0];
  expect(signals[0]?.aborted).toBe(false);
  two.abort(new Error('gone'));
  await gone[1];
  expect(signals.map(({ aborted }) => aborted)).toEqual([true]);
});

it('forgets a repository, and what is being made of it', async () => {
  const cache = openCache();
  const [begin, file, growing] = [small(), large(), large()];
  for (const repository of [1, 11]) {
    await ask(cache, keyOf('a', repository), begin);
    for (let at = 0; at < 2; at += 1) await ask(cache, keyOf('b', repository), file.begin);
  }
  growing.hold();
  const answer = await cache.get(keyOf('c'), growing.begin, never);
  cache.forgetRepository(1);
  expect(cache.figures).toMatchObject({ small: { entries: 1 }, files: { entries: 1 } });
  growing.release();
  expect(await textOf(answer)).toBe(long);
  await ask(cache, keyOf('c'), growing.begin);
  expect(growing.begin).toHaveBeenCalledTimes(2);
  cache.close();
  expect(cache.figures).toMatchObject({ small: { entries: 0 }, files: { entries: 0, bytes: 0 } });
});
