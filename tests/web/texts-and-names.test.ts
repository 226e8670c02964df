import { writeFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeRemote, type Remote } from '../harness/remotes.ts';
import { admin, repositoryTypes, uniqueName } from '../harness/shared-cluster.ts';
import type { WebClient } from '../harness/web-client.ts';
import { makeVisitor } from '../harness/web-visitor.ts';

const latin1 = (text: string) => Buffer.from(text, 'latin1');

/** Names of files as bytes, one character each, with their texts and their addresses. */
const names = [
  ['caf\xe9.txt', 'caf\ufffdE9.txt', 'caf%E9.txt'],
  ['caf\xe8.txt', 'caf\ufffdE8.txt', 'caf%E8.txt'],
  ['caf\xc3\xa9.txt', 'café.txt', 'caf%C3%A9.txt'],
  ['%E9', '%E9', '%25E9'],
  ['a?b#c', 'a?b#c', 'a%3Fb%23c'],
  ['back\\slash', 'back\\slash', 'back%5Cslash'],
  ['tab\there', 'tab\there', 'tab%09here'],
  ['\x01\x1b', '\u0001\u001b', '%01%1B'],
] as const;

const texts = {
  'latin1.txt': latin1('caf\xe9 na\xefve fa\xe7ade \xfcber\n'),
  'utf16.txt': Buffer.from('\ufeffcafé <i>\n', 'utf16le'),
  'utf8.txt': Buffer.from('café\n'),
};

function hrefs(text: string): string[] {
  return [...text.matchAll(/href="([^"]*)"/g)].map(([, href = '']) => href);
}

describe.each(repositoryTypes)('bytes of a %s repository', (type) => {
  let remote: Remote;
  let web: WebClient;
  let name: string;
  let rawId: string;

  const write = (path: string, content: Uint8Array | string) =>
    writeFile(Buffer.concat([Buffer.from(`${remote.directory}/`), latin1(path)]), content);

  beforeAll(async () => {
    ({ web } = await makeVisitor());
    remote = await makeRemote[type]();
    for (const [bytes] of names) await write(bytes, `of ${names.findIndex(([one]) => one === bytes)}\n`);
    for (const [path, content] of Object.entries(texts)) await write(path, content);
    rawId = await remote.commit({ plain: 'x\n' });
    name = `${uniqueName('group')}/${uniqueName(type)}`;
    await admin.result('create_repo', { repo_name: name, repo_type: type, clone_uri: remote.url });
  });
  afterAll(() => remote.close());

  it('shows texts in Latin-1 and UTF-16, and says in what encoding they are', async () => {
    const page = async (path: string) => (await web.get(`/${name}/files/tip/${path}`)).text;
    expect(await page('latin1.txt')).toContain('café naïve façade über');
    expect(await page('latin1.txt')).toContain('<span>decoded from windows-1252</span>');
    expect(await page('utf16.txt')).toContain('café &lt;i&gt;');
    expect(await page('utf16.txt')).toContain('<span>decoded from UTF-16LE</span>');
    expect(await page('utf8.txt')).not.toContain('decoded from');
  });

  it('shows the difference of each file in its own encoding', async () => {
    const { text } = await web.get(`/${name}/changeset/${rawId}`);
    const panels = text.split('<section class="panel diff-file"');
    const panelOf = (path: string) => panels.find((panel) => panel.includes(`>${path}</h3>`)) ?? '';
    expect(panelOf('latin1.txt')).toContain('café naïve façade über');
    expect(panelOf('latin1.txt')).toContain('Decoded from windows-1252');
    expect(panelOf('utf8.txt')).toContain('café');
    expect(panelOf('utf8.txt')).not.toContain('Decoded from');
  });

  it('declares raw content UTF-8 only if it is', async () => {
    const typeOf = async (path: string) => (await web.get(`/${name}/${path}`)).headers.get('content-type');
    for (const page of ['raw', 'rawfile']) {
      expect(await typeOf(`${page}/tip/latin1.txt`)).toBe('text/plain');
      expect(await typeOf(`${page}/tip/utf8.txt`)).toBe('text/plain; charset=utf-8');
    }
    expect(await typeOf('raw/tip/utf16.txt')).toBe('text/plain');
    expect(await typeOf(`changeset-diff/${rawId}`)).toBe('text/plain');
  });

  it('D9 links names of any bytes by their bytes, and each link works', async () => {
    const listing = hrefs((await web.get(`/${name}/files/tip`)).text);
    const changed = hrefs((await web.get(`/${name}/changeset/${rawId}`)).text);
    for (const [index, [, , address]] of names.entries()) {
      expect(listing).toContain(`/${encodeURI(name)}/files/tip/${address}`);
      expect(changed).toContain(`/${encodeURI(name)}/files/${rawId}/${address}`);
      const { text } = await web.get(`/${name}/files/tip/${address}`);
      expect(text).toContain(`of ${index}`);
      const links = hrefs(text).filter(
        (href) => /\/(?:files|raw|rawfile)\//.test(href) && href.endsWith(`/${address}`),
      );
      expect(links.length).toBeGreaterThanOrEqual(3);
      for (const link of links) expect([link, (await web.get(link)).status]).toEqual([link, 200]);
      expect((await web.get(`/${name}/raw/tip/${address}`)).text).toBe(`of ${index}\n`);
    }
  });

  it('C1 no address leads elsewhere, or is decoded twice', async () => {
    for (const path of ['caf%25E9.txt', '..%2Fplain', '%2e%2e/plain', 'x/%EF%BF%BD2E%EF%BF%BD2E/plain', 'plain%00']) {
      expect([path, (await web.get(`/${name}/raw/tip/${path}`)).status]).toEqual([path, 404]);
    }
  });

  it('saves files under names that a header can have', async () => {
    const saved = async (address: string) =>
      (await web.get(`/${name}/rawfile/tip/${address}`)).headers.get('content-disposition');
    expect(await saved('caf%E9.txt')).toBe(`attachment; filename="caf_.txt"; filename*=UTF-8''caf%C3%A9.txt`);
    expect(await saved('tab%09here')).toBe(`attachment; filename="tab_here"; filename*=UTF-8''tab_here`);
  });

  it('lists each name by a text of its own, which arguments take back', async () => {
    const nodes = await admin.result<{ name: string }[]>('get_repo_nodes', {
      ...{ repoid: name, revision: 'tip', root_path: '', ret_type: 'files' },
    });
    const listed = nodes.map((node) => node.name);
    for (const [, text] of names) expect(listed).toContain(text);
    const after = await admin.result<{ name: string }[]>('get_repo_nodes', {
      ...{ repoid: name, revision: 'tip', root_path: '', ret_type: 'files', cursor: 'caf\ufffdE8.txt' },
    });
    expect(after).toEqual(nodes.slice(listed.indexOf('caf\ufffdE8.txt') + 1));
    const { added } = await admin.result<{ added: string[] }>('get_changeset', {
      ...{ repoid: name, revision: 'tip', with_file_list: true },
    });
    for (const [, text] of names) expect(added).toContain(text);
  });
});
