import { once } from 'node:events';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import type { TreeNode } from '../vcs/backend.ts';
import { createContentCaches, type ContentCaches } from './content-caches.ts';
import { GenerationCache } from './generation-cache.ts';

type NodeListings = ContentCaches['nodeListings'];

const key = { uuid: 'uuid', generation: 1, rawId: 'a'.repeat(40), root: '' };
const nodes: readonly TreeNode[] = [{ name: 'a', type: 'file' }];

/** Makes a reading that counts its runs and ends when `open` is called. */
function gatedReading(found: () => readonly TreeNode[] = () => nodes) {
  const gate = new AbortController();
  const counted = {
    times: 0,
    open: () => gate.abort(),
    async read() {
      counted.times += 1;
      await once(gate.signal, 'abort');
      return found();
    },
  };
  return counted;
}

const nodeListings = (bytesMax: number) => createContentCaches(new GenerationCache(bytesMax)).nodeListings;

function get(listings: NodeListings, wanted: typeof key, read: () => Promise<readonly TreeNode[]>) {
  return listings.get(wanted, [wanted.rawId, wanted.root], read);
}

async function counts(listings: NodeListings, wanted: typeof key, found = nodes): Promise<number> {
  let times = 0;
  await get(listings, wanted, async () => ((times += 1), found));
  return times;
}

describe('node listings', () => {
  it('E7 a thousand concurrent calls and later ones share one reading', async () => {
    const listings = nodeListings(1e6);
    const one = gatedReading();
    const calls = Array.from({ length: 1_000 }, () => get(listings, key, one.read));
    one.open();
    expect(new Set(await Promise.all(calls))).toEqual(new Set([nodes]));
    await get(listings, key, one.read);
    expect(one.times).toBe(1);
  });

  it('each repository, generation, changeset and directory has its own listing', async () => {
    const listings = nodeListings(1e6);
    const others = [{}, { uuid: 'other' }, { rawId: 'b'.repeat(40) }, { root: 'docs' }];
    for (const other of others) expect(await counts(listings, { ...key, ...other })).toBe(1);
    for (const other of others) expect(await counts(listings, { ...key, ...other })).toBe(0);
    for (const times of [1, 0]) expect(await counts(listings, { ...key, generation: 2 })).toBe(times);
    expect(await counts(listings, { ...key, uuid: 'other' })).toBe(0);
  });

  it('a reading of a former generation that ends late removes nothing of the present one, and is not cached', async () => {
    const listings = nodeListings(1e6);
    const former = gatedReading();
    const late = get(listings, key, former.read);
    const present = { ...key, generation: 2 };
    expect(await counts(listings, present)).toBe(1);
    former.open();
    expect(await late).toBe(nodes);
    expect(await counts(listings, present)).toBe(0);
    expect(listings.figures.entries).toBe(1);
  });

  it('an empty listing is cached, too', async () => {
    const listings = nodeListings(1e6);
    expect(await counts(listings, key, [])).toBe(1);
    expect(await counts(listings, key, [])).toBe(0);
  });

  it('a failed reading fails for all calls that share it, and is not cached', async () => {
    const listings = nodeListings(1e6);
    const one = gatedReading(() => {
      throw new Error('broken');
    });
    const calls = Promise.allSettled([get(listings, key, one.read), get(listings, key, one.read)]);
    one.open();
    expect((await calls).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    expect(one.times).toBe(1);
    expect(await counts(listings, key)).toBe(1);
    expect(await counts(listings, key)).toBe(0);
  });

  it('evicts the least recently used listing when the cache has too many bytes', async () => {
    const long: readonly TreeNode[] = [{ name: 'x'.repeat(10_000), type: 'file' }];
    const listings = nodeListings(4 * 50_000);
    const keys = ['a', 'b', 'c'].map((root) => ({ ...key, root }));
    const [a = key, b = key, c = key] = keys;
    await counts(listings, a, long);
    await counts(listings, b, long);
    expect(await counts(listings, a, long)).toBe(0);
    await counts(listings, c, long);
    expect(await counts(listings, a, long)).toBe(0);
    expect(await counts(listings, b, long)).toBe(1);
  });

  it('counts the memory of each node beside the letters of its name', async () => {
    const many = Array.from({ length: 1_000 }, (): TreeNode => ({ name: 'a', type: 'file' }));
    const listings = nodeListings(4 * 100_000);
    expect(await counts(listings, key, many)).toBe(1);
    expect(await counts(listings, key, many)).toBe(1);
  });
});

const value = (bytes: number) => ({ bytes });
const bytesOf = ({ bytes }: { readonly bytes: number }) => bytes;

describe('namespaces', () => {
  it('E6 share one budget, in which a repository has a quarter whatever the namespaces are', async () => {
    const cache = new GenerationCache(80_000);
    const [first, second] = [cache.namespace({ bytesOf }), cache.namespace({ bytesOf })];
    const of = (uuid: string) => ({ uuid, generation: 1 });
    await second.get(of('other'), [], async () => value(5_000));
    for (let index = 0; index < 10; index += 1) {
      await first.get(of('busy'), [String(index)], async () => value(5_000));
      await second.get(of('busy'), [String(index)], async () => value(5_000));
    }
    const held = (first.figures.bytes ?? 0) + (second.figures.bytes ?? 0);
    expect(held).toBeLessThanOrEqual(20_000 + 6_024);
    expect([first.figures.entries, second.figures.entries]).toEqual([1, 3]);
    await second.get(of('other'), [], () => Promise.reject(new Error('the value of the other repository is gone')));
  });

  it('have each their own value of a key', async () => {
    const cache = new GenerationCache(80_000);
    const [first, second] = [cache.namespace({ bytesOf }), cache.namespace({ bytesOf })];
    const at = { uuid: 'u', generation: 1 };
    await first.get(at, ['a'], async () => value(1));
    expect(await second.get(at, ['a'], async () => value(2))).toEqual(value(2));
    expect(await first.get(at, ['a'], async () => value(3))).toEqual(value(1));
  });

  it('lose what belongs to a former generation, in all of them', async () => {
    const cache = new GenerationCache(80_000);
    const [first, second] = [cache.namespace({ bytesOf }), cache.namespace({ bytesOf })];
    await first.get({ uuid: 'u', generation: 1 }, ['a'], async () => value(1));
    await second.get({ uuid: 'u', generation: 2 }, ['b'], async () => value(1));
    expect([first.figures.entries, first.figures.bytes, second.figures.entries]).toEqual([0, 0, 1]);
  });

  it('read a value anew when its time is over', async () => {
    const now = vi.spyOn(performance, 'now').mockReturnValue(1_000);
    onTestFinished(() => now.mockRestore());
    const cache = new GenerationCache(80_000);
    const timed = cache.namespace({ bytesOf, msMax: 60_000 });
    const at = { uuid: 'u', generation: 1 };
    const get = (bytes: number) => timed.get(at, [], async () => value(bytes));
    expect(await get(1)).toEqual(value(1));
    now.mockReturnValue(61_001);
    expect([await get(2), await get(3)]).toEqual([value(2), value(2)]);
    expect(timed.figures).toMatchObject({ hits: 1, misses: 2, entries: 1 });
  });
});
