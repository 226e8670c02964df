import { once } from 'node:events';
import { describe, expect, it } from 'vitest';
import type { TreeNode } from './backend.ts';
import { NodeListingCache, type ListingKey } from './node-listing-cache.ts';

const key: ListingKey = { repositoryUuid: 'uuid', generation: 1, rawId: 'a'.repeat(40), root: '' };
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

async function counts(listings: NodeListingCache, wanted: ListingKey, found = nodes): Promise<number> {
  let times = 0;
  await listings.get(wanted, async () => ((times += 1), found));
  return times;
}

describe('NodeListingCache', () => {
  it('E7 a thousand concurrent calls and later ones share one reading', async () => {
    const listings = new NodeListingCache(1e6);
    const one = gatedReading();
    const calls = Array.from({ length: 1_000 }, () => listings.get(key, one.read));
    one.open();
    expect(new Set(await Promise.all(calls))).toEqual(new Set([nodes]));
    await listings.get(key, one.read);
    expect(one.times).toBe(1);
  });

  it('each repository, generation, changeset and directory has its own listing', async () => {
    const listings = new NodeListingCache(1e6);
    const others = [{}, { repositoryUuid: 'other' }, { generation: 2 }, { rawId: 'b'.repeat(40) }, { root: 'docs' }];
    for (const other of others) expect(await counts(listings, { ...key, ...other })).toBe(1);
    for (const other of others) expect(await counts(listings, { ...key, ...other })).toBe(0);
  });

  it('an empty listing is cached, too', async () => {
    const listings = new NodeListingCache(1e6);
    expect(await counts(listings, key, [])).toBe(1);
    expect(await counts(listings, key, [])).toBe(0);
  });

  it('a failed reading fails for all calls that share it, and is not cached', async () => {
    const listings = new NodeListingCache(1e6);
    const one = gatedReading(() => {
      throw new Error('broken');
    });
    const calls = Promise.allSettled([listings.get(key, one.read), listings.get(key, one.read)]);
    one.open();
    expect((await calls).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    expect(one.times).toBe(1);
    expect(await counts(listings, key)).toBe(1);
    expect(await counts(listings, key)).toBe(0);
  });

  it('evicts the least recently used listing when the cache has too many bytes', async () => {
    const long: readonly TreeNode[] = [{ name: 'x'.repeat(10_000), type: 'file' }];
    const listings = new NodeListingCache(50_000);
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
    const listings = new NodeListingCache(100_000);
    expect(await counts(listings, key, many)).toBe(1);
    expect(await counts(listings, key, many)).toBe(1);
  });
});
