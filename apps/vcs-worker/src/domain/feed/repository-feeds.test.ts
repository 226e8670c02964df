import { describe, expect, it } from 'vitest';
import { RepositoryFeeds } from './repository-feeds.ts';

const repository = { uuid: 'u', name: 'tools/x', generation: 1, tipId: 'a'.repeat(40) };
const where = { format: 'rss', baseUrl: 'https://code.example.com' } as const;

/** Each call has a signal of its own. */
const live = () => new AbortController().signal;

function startFeeds() {
  const feeds = new RepositoryFeeds({ siteName: 'T', itemsMax: 20, includeDiff: false, cutOffLimit: 100 });
  const counted = { times: 0 };
  const source = {
    forCall: () => source,
    resolveRevision: async () => repository.tipId,
    log: async () => {
      counted.times += 1;
      return [];
    },
    refs: async () => ({ bookmarks: new Map(), branches: new Map(), closedBranches: new Map(), tags: new Map() }),
    fileStats: async () => new Map(),
    async *diff() {},
  };
  const get = async (of: Partial<typeof repository> = {}, asked: { format?: 'rss' | 'atom'; baseUrl?: string } = {}) =>
    Buffer.from(
      await feeds.get({ ...repository, ...of }, { source, path: '/x' }, { ...where, ...asked }, live()),
    ).toString();
  return { counted, get };
}

describe('RepositoryFeeds', () => {
  it('E7 a thousand concurrent requests share one read, and later ones are served from the cache', async () => {
    const { counted, get } = startFeeds();
    const documents = await Promise.all(Array.from({ length: 1_000 }, () => get()));
    expect(new Set([...documents, await get()]).size).toBe(1);
    expect(counted.times).toBe(1);
  });

  it('each generation, repository, format and base URL has a feed of its own', async () => {
    const { counted, get } = startFeeds();
    const all = async () => {
      await get();
      await get({ generation: 2 });
      await get({ uuid: 'v' });
      await get({}, { format: 'atom' });
      await get({}, { baseUrl: 'https://other.example.com' });
    };
    await all();
    await all();
    expect(counted.times).toBe(5);
  });

  it('a renamed repository is shown under its new name', async () => {
    const { get } = startFeeds();
    await get();
    const renamed = await get({ name: 'tools/y' });
    expect(renamed).toContain('<link>https://code.example.com/tools/y</link>');
    expect(renamed).not.toContain('tools/x');
  });
});
