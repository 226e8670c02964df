import { describe, expect, it } from 'vitest';
import type { HistoryEntry, LogQuery } from '../../vcs/backend.ts';
import type { FileStat } from '../../vcs/content.ts';
import { type FeedSettings, type FeedSource, readRepositoryFeed, RepositoryFeeds } from './repository-feed.ts';
import { GenerationCache } from '../../cache/generation-cache.ts';

const settings: FeedSettings = { siteName: 'Trunkline', itemsMax: 20, includeDiff: false, cutOffLimit: 32_768 };
const baseUrl = 'https://code.example.com/base';
const rawId = '0a1b2c3d'.repeat(5);

const entry: HistoryEntry = {
  rawId,
  revision: 7,
  author: 'Ann "A" <B> <ann@example.com>',
  date: new Date('2026-02-03T04:05:06Z'),
  message: 'Fix <b> & co',
  parents: [],
  branch: 'default',
  files: null,
};

const stat = (path: string): FileStat => ({ path, change: 'added', linesAdded: 1, linesRemoved: 0 });
const named = (...names: string[]) => new Map(names.map((name) => [name, rawId]));

function sourceOf({ entries = [entry], files = [] as FileStat[], diff = [''] }): FeedSource & { asked: LogQuery[] } {
  const asked: LogQuery[] = [];
  return {
    asked,
    log: async (_path, query) => {
      asked.push(query);
      return entries;
    },
    refs: async () => ({
      bookmarks: named('@'),
      branches: named('main'),
      closedBranches: new Map(),
      tags: named('v1', '<v2>'),
    }),
    fileStats: async (_path, rawIds) => new Map(rawIds.map((id) => [id, files])),
    async *diff() {
      for (const piece of diff) yield Buffer.from(piece);
    },
  };
}

const read = (source: FeedSource, changed: Partial<FeedSettings> = {}) =>
  readRepositoryFeed(source, { name: 'tools/é', path: '/x' }, baseUrl, { ...settings, ...changed });

const descriptionOf = async (source: FeedSource, changed: Partial<FeedSettings> = {}) =>
  (await read(source, changed)).items[0]?.description ?? '';

describe('readRepositoryFeed', () => {
  it('has an item for each changeset', async () => {
    const files: FileStat[] = [
      { path: 'a & b', change: 'added', linesAdded: 3, linesRemoved: 0 },
      { path: 'c', change: 'changed', linesAdded: 1, linesRemoved: 2 },
      { path: 'd.png', change: 'removed', linesAdded: null, linesRemoved: null },
    ];
    const source = sourceOf({ files });
    const link = `https://code.example.com/base/tools/%C3%A9/changeset/${rawId}`;
    expect(await read(source)).toEqual({
      title: 'Trunkline tools/é feed',
      description: 'Changes on tools/é repository',
      link: 'https://code.example.com/base/tools/%C3%A9',
      items: [
        {
          title: 'Fix <b> & co',
          link,
          id: `tag:code.example.com,2026-02-03:/tools/%C3%A9/changeset/${rawId}`,
          linkIsItsOwn: true,
          author: 'Ann "A" <B> <ann@example.com>',
          date: new Date('2026-02-03T04:05:06Z'),
          description: `Ann A committed on 2026-02-03 04:05:06<br/>
branch: default<br/>
bookmark: @<br/>
tag: v1<br/>
tag: &lt;v2&gt;<br/>
changeset: <a href="${link}">0a1b2c3d</a>
<pre>Fix &lt;b&gt; &amp; co
 A a &amp; b (3 lines added, 0 lines removed)
 M c (1 lines added, 2 lines removed)
 D d.png (binary file)</pre>`,
        },
      ],
    });
    expect(source.asked).toEqual([{ reverse: true, limit: 20, withFiles: false }]);
  });

  it('a git changeset shows the branches that point to it', async () => {
    expect(await descriptionOf(sourceOf({ entries: [{ ...entry, branch: null }] }))).toContain('\nbranch: main<br/>\n');
  });

  it.each([
    ['ann@example.com', 'ann@example.com'],
    ['<ann@example.com>', 'ann'],
    ['Ann', 'Ann'],
    ['', ''],
  ])('the author %j is %j', async (author, person) => {
    const description = await descriptionOf(sourceOf({ entries: [{ ...entry, author }] }));
    expect(description.split('<br/>')[0]).toBe(`${person} committed on 2026-02-03 04:05:06`);
  });

  it('a repository without changesets is not read', async () => {
    const source = sourceOf({});
    const feed = await readRepositoryFeed(source, { name: 'x', path: null }, baseUrl, settings);
    expect([feed.items, source.asked]).toEqual([[], []]);
  });

  it('names a hundred files and counts the others', async () => {
    const files = (count: number) => Array.from({ length: count }, (_, index) => stat(`f${index}`));
    expect(await descriptionOf(sourceOf({ files: files(100) }))).toMatch(/ A f99 [^\n]*<\/pre>$/);
    expect(await descriptionOf(sourceOf({ files: files(103) }))).toMatch(/ A f99 [^\n]*\n \.\.\. and 3 more<\/pre>$/);
    expect(await descriptionOf(sourceOf({ files: files(1_000) }))).toMatch(/\n \.\.\. and at least 900 more<\/pre>$/);
  });

  it('cuts texts that are too long', async () => {
    const long = sourceOf({ entries: [{ ...entry, message: 'm'.repeat(11) }] });
    expect(await descriptionOf(long, { cutOffLimit: 10 })).toMatch(/<pre>m{10}\n\.\.\. \(cut off\)<\/pre>$/);
    expect(await descriptionOf(long, { cutOffLimit: 11 })).toMatch(/<pre>m{11}<\/pre>$/);
  });

  it('shows diffs when includeDiff is set, and reads no more of them than it shows', async () => {
    const source = sourceOf({ diff: ['-a\n', '+<b>\n', 'never'] });
    expect(await descriptionOf(source)).toMatch(/<pre>Fix &lt;b&gt; &amp; co<\/pre>$/);
    expect(await descriptionOf(source, { includeDiff: true })).toMatch(/ co\n\n-a\n\+&lt;b&gt;\nnever<\/pre>$/);
    const cut = { includeDiff: true, cutOffLimit: 5 };
    expect(await descriptionOf(source, cut)).toMatch(/\n\n-a\n\+&lt;\n\.\.\. \(cut off\)<\/pre>$/);
  });
});

it('each file of a diff is decoded by itself', async () => {
  const file = (text: string) => Buffer.from(`diff --git a/x b/x\n+${text}\n`, 'latin1');
  const source: FeedSource = {
    ...sourceOf({}),
    async *diff() {
      yield* [file('caf\xe9'), file('caf\xc3\xa9'), file('x\xc3\xa9'.repeat(100))];
    },
  };
  const shown = await descriptionOf(source, { includeDiff: true });
  expect(shown.match(/\+caf.*/g)).toEqual(['+café', '+café']);
  const cut = await descriptionOf(source, { includeDiff: true, cutOffLimit: 100 });
  expect(cut).toMatch(/\+xé(?:xé)+x?\n\.\.\. \(cut off\)/);
});

const repository = { uuid: 'u', name: 'tools/x', generation: 1, tipId: 'a'.repeat(40) };
const where = { format: 'rss', baseUrl: 'https://code.example.com' } as const;

/** Each call has a signal of its own. */
const live = () => new AbortController().signal;

function startFeeds() {
  const feeds = new RepositoryFeeds(
    { siteName: 'T', itemsMax: 20, includeDiff: false, cutOffLimit: 100 },
    new GenerationCache(1e6),
  );
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
      await get({ uuid: 'v' });
      await get({}, { format: 'atom' });
      await get({}, { baseUrl: 'https://other.example.com' });
    };
    await all();
    await all();
    expect(counted.times).toBe(4);
    await get({ generation: 2 });
    await get({ generation: 2 });
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
