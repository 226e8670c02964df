import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { createClient } from '../harness/client.ts';
import { startCluster, type Cluster } from '../harness/cluster.ts';
import { parseFeed } from '../harness/feeds.ts';
import { byForm } from '../harness/long-form.ts';
import '../harness/provided.ts';
import { makeRemote, type Remote } from '../harness/remotes.ts';
import { createWebClient, type WebAnswer, type WebClient } from '../harness/web-client.ts';

const types = ['git', 'hg'] as const;
const largeMb = byForm(16, 50);
const large = largeMb * 1024 * 1024;
const many = byForm(2_000, 10_000);
const pageBytesMax = 8 * 1024 * 1024;
/** Size up to which a worker reads a file as one piece. */
const knownBytesMax = 1024 * 1024;
/** Limit of the growth of a process's memory beyond that for small content. */
const growthMbMax = 150;

const nasty = '<script>alert(1)</script>';
const names = {
  [`${nasty.replace('/', '')}.txt`]: 'x\n',
  '<img src=x onerror=alert(1)>.md': `# ${nasty}\n[x](javascript:alert(1)) <img src=x onerror=alert(1)>\n`,
  'README.md': [
    `# ${nasty}`,
    '![<img src=x onerror=alert(1)>](https://evil.example/a.png) ![](//evil.example/%E2%80%AE%01b.png)',
    '[![x](https://evil.example/b.png)](javascript:alert(1)) [![x](https://evil.example/b.png)](https://evil.example)',
    '<img src="https://evil.example/c.png" onerror="alert(1)"> <picture><source srcset="//evil.example/d.png"></picture>',
    '![x](data:image/svg+xml,<svg/onload=alert(1)>) ![inside](picture.svg)',
  ].join('\n\n'),
  'page.md': `<details open ontoggle=alert(1)>${nasty}</details></div></main> <a href=javascript:alert(1) id=main>x</a>\n\n> [!NOTE] ${nasty}\n\n- [ ] <img src=x onerror=alert(1)>\n`,
  'page.adoc': `= ${nasty}\n\n++++\n<img src=x onerror=alert(1)>\n++++\n\nlink:javascript:alert(1)[x] pass:[${nasty}]\n\ninclude::/etc/passwd[]\n`,
  'page.rst': `${nasty}\n\n.. raw:: html\n\n   ${nasty}\n\n\`x <javascript:alert(1)>\`_\n\n.. image:: https://evil.example/a.png\n\n.. include:: /etc/passwd\n`,
  'rtl\u202egpj.exe': 'x\n',
  '-rf': 'x\n',
  '...': 'x\n',
  'a%2Fb?c#d&e="f\'g': 'x\n',
  [`${'n'.repeat(251)}.txt`]: 'x\n',
  [`${'deep/'.repeat(200)}end`]: 'x\n',
  'picture.svg': `<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)">${nasty}</svg>\n`,
  'page.html': `${nasty}\n`,
  'line.txt': 'x'.repeat(5 * 1024 * 1024),
  'control.txt': '\u0001\u001b[31mred\u0007\u202e\u2028\n',
};
const message = `${nasty} \u202e\u0001\u001b[31m & "quotes" ]]>\n\n<img src=x onerror=alert(1)>`;

let cluster: Cluster;
let web: WebClient;

beforeAll(async () => {
  cluster = await startCluster({ postgresUrl: inject('postgresUrl'), gateways: 1, workers: 1 });
  web = createWebClient(cluster.baseUrl);
  await web.signIn('admin', 'secret of the first administrator');
});
afterAll(() => cluster.stop());

async function peakMb(pid: number | undefined): Promise<number> {
  return Number(/VmHWM:\s+(\d+)/.exec(await readFile(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024;
}

const addressOf = (path: string) => path.split('/').map(encodeURIComponent).join('/');

/** Expects a page that shows hostile content and runs none of it. */
function expectHarmless({ status, headers, text, bytes }: WebAnswer): void {
  expect(status).toBe(200);
  expect(headers.get('content-security-policy')).toMatch(/^default-src 'none'; style-src 'self'/);
  expect(text).not.toMatch(/<script|<img src=x|<[^>]*\sonerror=|<[^>]*\sonload=|href="javascript:/i);
  // oxlint-disable-next-line no-control-regex -- Matches control characters, which must not be in the page.
  expect(text).not.toMatch(/[\u0001\u001b\u202e]/);
  const images = [...text.matchAll(/<(?:img|source)[^>]* src(?:set)?="?([^" ]*)/gi)].map(([, address]) => address);
  for (const address of images) expect(address).toMatch(/^\/(?!\/)/);
  expect(text).not.toContain('root:x:');
  expect(bytes.length).toBeLessThan(pageBytesMax);
}

describe.each(types)('a hostile repository of %s', (type) => {
  let remote: Remote;
  let first: string;
  let crowd: string;
  let heavy: string;

  beforeAll(async () => {
    remote = await makeRemote[type]();
    first = await remote.commit(names, message);
    crowd = await remote.commit(
      Object.fromEntries(Array.from({ length: many }, (_, index) => [`many/${index % 100}/${index}`, `${index}\n`])),
      'a crowd',
    );
    heavy = await remote.commit({ 'heavy.txt': '0123456789abcde\n'.repeat(large / 16) }, 'heavy');
    const client = createClient(cluster.baseUrl, cluster.adminKey);
    await client.result('create_repo', {
      repo_name: type,
      repo_type: type,
      clone_uri: remote.url,
      enable_downloads: true,
    });
  }, 180_000);

  afterAll(() => remote.close());

  it.each(Object.keys(names))('the file %s is shown, and nothing of it runs', async (name) => {
    const answer = await web.get(`/${type}/files/${first}/${addressOf(name)}`);
    expectHarmless(answer);
  });

  it.each(Object.keys(names))('the file %s is sent unchanged, in a sandbox', async (name) => {
    const { status, headers, bytes } = await web.get(`/${type}/raw/${first}/${addressOf(name)}`);
    expect(status).toBe(200);
    expect(bytes.toString()).toBe(Reflect.get(names, name));
    expect(headers.get('content-security-policy')).toMatch(/^default-src 'none';.* sandbox/);
    expect(headers.get('x-content-type-options')).toBe('nosniff');
    // Of a stream it is not known whether all of it is UTF-8.
    const isStream = bytes.length > knownBytesMax;
    expect(headers.get('content-type')).toMatch(
      isStream ? /^text\/plain$/ : /^(text\/plain; charset=utf-8|image\/svg\+xml)$/,
    );
  });

  it.each(['', '/changelog', '/branches', '/tags', '/files', '/files/tip/many', '/forks', '/followers'])(
    'the page %s lets nothing run',
    async (path) => expectHarmless(await web.get(`/${type}${path}`)),
  );

  it('pages of changesets are bounded, whatever these hold', async () => {
    for (const id of [first, crowd, heavy, `${first}...${heavy}`])
      expectHarmless(await web.get(`/${type}/changeset/${id}`));
  });

  it.each(['rss', 'atom'])('the feed as %s is well-formed', async (format) => {
    const { status, text, bytes } = await web.get(`/${type}/feed/${format}`);
    expect(status).toBe(200);
    expect(bytes.length).toBeLessThan(pageBytesMax);
    const feed = parseFeed(text);
    expect(feed.entries).toHaveLength(3);
  });

  it('large diffs and patches are sent whole', async () => {
    const diff = await web.get(`/${type}/changeset-diff/${heavy}`);
    expect(diff.bytes.length).toBeGreaterThan(type === 'hg' ? large : 100);
    const patch = await web.get(`/${type}/changeset-patch/${crowd}`);
    expect(patch.text.match(/^diff --git /gm)).toHaveLength(many);
  });

  it(`a file of ${largeMb} MB is not shown, and sent whole`, async () => {
    expectHarmless(await web.get(`/${type}/files/tip/heavy.txt`));
    for (const word of ['raw', 'rawfile']) {
      expect((await web.get(`/${type}/${word}/tip/heavy.txt`)).bytes.length).toBe(large);
    }
  });

  it('an archive has every file', async () => {
    expect((await web.get(`/${type}/archive/tip.tar`)).bytes.length).toBeGreaterThan(large);
  }, 120_000);

  it('the memory of gateway and worker stays small', async () => {
    for (const { pid } of [...cluster.gateways, ...cluster.workers]) {
      expect(await peakMb(pid)).toBeLessThan(150 + growthMbMax);
    }
  });
});
