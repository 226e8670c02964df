import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeRemote, type Remote } from '../harness/remotes.ts';
import { admin, cluster, makeUser, repositoryTypes, uniqueName } from '../harness/shared-cluster.ts';
import type { WebAnswer, WebClient } from '../harness/web-client.ts';
import { makeVisitor } from '../harness/web-visitor.ts';

const small = 'hello\n';
const large = `${'0123456789abcdef'.repeat(64)}\n`.repeat(2_000);

describe.each(repositoryTypes)('content of %s', (type) => {
  let remote: Remote;
  let visitor: Awaited<ReturnType<typeof makeVisitor>>;
  let web: WebClient;
  let name = '';
  let first = '';

  beforeAll(async () => {
    visitor = await makeVisitor();
    ({ web } = visitor);
    remote = await makeRemote[type]();
    first = await remote.commit({ small, large, empty: '' }, 'the first');
    name = uniqueName(type);
    const args = { repo_name: name, repo_type: type, clone_uri: remote.url, enable_downloads: true, private: true };
    await admin.result('create_repo', args);
    await admin.result('grant_user_permission', { repoid: name, userid: visitor.id, perm: 'repository.read' });
  });
  afterAll(async () => remote.close());

  const at = (path: string) => `/${encodeURI(name)}/${path}`;
  const get = (path: string, headers: Record<string, string> = {}) => web.get(at(path), headers);
  const tagOf = ({ headers }: WebAnswer) => headers.get('etag') ?? '';
  const withRange = async (path: string, range: string, more: Record<string, string> = {}) => {
    const { status, headers, text } = await get(path, { range, ...more });
    return [status, headers.get('content-range'), headers.get('content-length'), text];
  };

  it.each([
    ['raw/tip/small', false],
    ['raw/tip/large', false],
    ['rawfile/tip/small', false],
    ['archive/tip.zip', true],
    ['archive/tip.tar.gz', true],
    ['feed/rss', false],
    ['feed/atom', false],
  ])('%s has a tag, and is not sent again to who has it', async (path, isWeak) => {
    const whole = await get(path);
    expect(whole.headers.get('cache-control')).toBe('private, no-cache');
    expect(whole.headers.get('last-modified')).toBeNull();
    const tag = tagOf(whole);
    expect(tag).toMatch(isWeak ? /^W\/"[^"]+"$/ : /^"[^"]+"$/);
    for (const sent of [tag, `"other", ${tag}`, '*', `W/${tag.replace('W/', '')}`]) {
      const unchanged = await get(path, { 'if-none-match': sent });
      expect([sent, unchanged.status, unchanged.text, tagOf(unchanged)]).toEqual([sent, 304, '', tag]);
      expect(unchanged.headers.get('cache-control')).toBe('private, no-cache');
    }
    const changed = await get(path, { 'if-none-match': '"other"' });
    expect([changed.status, changed.bytes.equals(whole.bytes), tagOf(changed)]).toEqual([200, true, tag]);
    const asked = await get(path, { 'if-modified-since': new Date().toUTCString() });
    expect(asked.status).toBe(200);
  });

  it.each(['raw/tip/small', 'raw/tip/large', 'archive/tip.zip', 'feed/rss'])(
    'HEAD of %s has the headers of GET',
    async (path) => {
      const cookie = [...web.cookies].map(([key, value]) => `${key}=${encodeURIComponent(value)}`).join('; ');
      const head = await fetch(new URL(at(path), cluster.baseUrl), { method: 'HEAD', headers: { cookie } });
      const { headers } = await get(path);
      for (const one of ['etag', 'content-length', 'content-type', 'cache-control', 'accept-ranges']) {
        if (one === 'content-length' && path.startsWith('archive')) continue;
        expect([one, head.headers.get(one)]).toEqual([one, headers.get(one)]);
      }
      const tag = headers.get('etag') ?? '';
      const again = { method: 'HEAD', headers: { cookie, 'if-none-match': tag, range: 'bytes=9999999-' } };
      expect((await fetch(new URL(at(path), cluster.baseUrl), again)).status).toBe(304);
    },
  );

  it.each([
    ['small', small],
    ['large', large],
  ])('the file `%s` is sent in parts', async (path, content) => {
    const size = content.length;
    const whole = await get(`raw/tip/${path}`);
    expect([whole.headers.get('accept-ranges'), whole.text]).toEqual(['bytes', content]);
    for (const [range, from, to] of [
      ['bytes=0-2', 0, 2],
      ['bytes=3-', 3, size - 1],
      ['bytes=-2', size - 2, size - 1],
      [`bytes=1-${size * 9}`, 1, size - 1],
      [`bytes=${Math.floor(size / 2)}-${Math.floor(size / 2)}`, Math.floor(size / 2), Math.floor(size / 2)],
    ] as const) {
      const part = content.slice(from, to + 1);
      expect(await withRange(`raw/tip/${path}`, range)).toEqual([
        206,
        `bytes ${from}-${to}/${size}`,
        String(part.length),
        part,
      ]);
    }
    expect(await withRange(`raw/tip/${path}`, `bytes=${size}-`)).toEqual([416, `bytes */${size}`, null, '']);
    expect(await withRange(`raw/tip/${path}`, 'bytes=0-1,3-4')).toEqual([200, null, String(size), content]);
    const ifRange = tagOf(whole);
    expect(await withRange(`raw/tip/${path}`, 'bytes=0-0', { 'if-range': ifRange })).toContain(206);
    expect(await withRange(`raw/tip/${path}`, 'bytes=0-0', { 'if-range': '"other"' })).toContain(200);
    expect(await withRange(`raw/tip/${path}`, 'bytes=0-0', { 'if-none-match': ifRange })).toContain(304);
  });

  it('an empty file has no part, an archive is sent whole, and what is missing stays missing', async () => {
    expect(await withRange('raw/tip/empty', 'bytes=0-')).toEqual([416, 'bytes */0', null, '']);
    const archive = await get('archive/tip.tar', { range: 'bytes=0-9' });
    expect([archive.status, archive.headers.get('accept-ranges'), archive.bytes.length > 10]).toEqual([
      200,
      null,
      true,
    ]);
    for (const headers of [{ range: 'bytes=0-' }, { 'if-none-match': '*' }, { 'if-none-match': '"x"' }] as const) {
      for (const path of ['raw/tip/none', 'raw/none/small', 'archive/none.zip']) {
        expect([path, (await get(path, { ...headers })).status]).toEqual([path, 404]);
      }
    }
  });

  it('the tag is that of the changeset, also by a name that moves', async () => {
    const tag = tagOf(await get(`raw/${first}/small`));
    expect(tagOf(await get('raw/tip/small'))).toBe(tag);
    expect(tagOf(await get('raw/tip/large'))).not.toBe(tag);
    await remote.commit({ more: 'x' }, 'the second');
    await admin.result('pull', { repoid: name });
    const moved = await get('raw/tip/small', { 'if-none-match': tag });
    expect([moved.status, moved.text, tagOf(moved) === tag]).toEqual([200, small, false]);
    expect((await get(`raw/${first}/small`, { 'if-none-match': tag })).status).toBe(304);
  });

  it('B8 rights and the switch of downloads are read before a tag or a part', async () => {
    const paths = ['raw/tip/small', 'archive/tip.zip', 'feed/atom'];
    const tags = new Map<string, string>();
    for (const path of paths) tags.set(path, tagOf(await get(path)));
    const statusesOf = async () => {
      const statuses: number[] = [];
      for (const path of paths) {
        statuses.push((await get(path, { 'if-none-match': tags.get(path) ?? '', range: 'bytes=99999-' })).status);
      }
      return statuses;
    };
    expect(await statusesOf()).toEqual([304, 304, 304]);
    await admin.result('update_repo', { repoid: name, enable_downloads: false, private: true, clone_uri: remote.url });
    expect(await statusesOf()).toEqual([304, 403, 304]);
    await admin.result('revoke_user_permission', { repoid: name, userid: visitor.id });
    expect(await statusesOf()).toEqual([403, 403, 403]);
  });
});

it('a feed of activity has a tag, which answers to a key have without being kept', async () => {
  const { client } = await makeUser();
  const url = new URL(`/_admin/journal/rss?api_key=${client.apiKey}`, cluster.baseUrl);
  const whole = await fetch(url);
  expect([whole.status, whole.headers.get('cache-control')]).toEqual([200, 'no-store']);
  const again = await fetch(url, { headers: { 'if-none-match': whole.headers.get('etag') ?? '' } });
  expect([again.status, again.headers.get('cache-control')]).toEqual([304, 'no-store']);
});
