import { beforeAll, describe, expect, it } from 'vitest';
import { exchange } from '../harness/raw-http.ts';
import { makeRemote } from '../harness/remotes.ts';
import {
  admin,
  cluster,
  makeRepository,
  repositoryTypes,
  uniqueName,
  type RepositoryType,
} from '../harness/shared-cluster.ts';
import type { WebClient } from '../harness/web-client.ts';
import { makeVisitor } from '../harness/web-visitor.ts';

const path = 'sub dir/ü#1.txt';
const encoded = 'sub%20dir/%C3%BC%231.txt';
const inQuery = new URLSearchParams({ file: path }).toString();

let web: WebClient;
const names: Record<string, string> = {};
const ids: Record<string, readonly string[]> = {};

async function makeHistory(type: RepositoryType): Promise<void> {
  const remote = await makeRemote[type]();
  try {
    ids[type] = [await remote.commit({ [path]: 'one\n' }, 'first'), await remote.commit({ [path]: 'two\n' }, 'second')];
    const name = `${uniqueName('group')}/${uniqueName(type)}`;
    names[type] = name;
    await admin.result('create_repo', { repo_name: name, repo_type: type, clone_uri: remote.url });
  } finally {
    await remote.close();
  }
}

beforeAll(async () => {
  ({ web } = await makeVisitor());
  for (const type of repositoryTypes) await makeHistory(type);
}, 60_000);

describe.each(repositoryTypes)('addresses of other products in a repository of %s', (type) => {
  const base = () => encodeURI(names[type] ?? '');
  const at = (address: string) => {
    const [a = '', b = ''] = ids[type] ?? [];
    return address
      .replaceAll('<a>', a)
      .replaceAll('<b>', b)
      .replaceAll('<path>', encoded)
      .replaceAll('<file>', inQuery);
  };

  it.each([
    ['diff/<path>?diff1=<a>&diff2=<b>', 'changeset/<a>...<b>?<file>', 'two'],
    [
      'diff/<path>?diff1=<a>&diff2=<b>&diff=diff&context=9&ignorews=1',
      'changeset/<a>...<b>?context=9&ignorews=1&<file>',
      'two',
    ],
    ['diff/<path>?diff1=<a>&diff2=<b>&diff=raw', 'changeset/<a>...<b>?<file>', 'two'],
    ['diff-2way/<path>?diff1=<a>&diff2=<b>', 'changeset/<a>...<b>?view=split&<file>', 'two'],
    ['diff/<path>?diff2=<b>', 'files/<b>/<path>', 'two'],
    ['diff/<path>?diff1=000000000000&diff2=<a>', 'files/<a>/<path>', 'one'],
    ['diff/<path>?diff1=<a>&diff2=<a>', 'files/<a>/<path>', 'one'],
    ['diff/<path>?diff1=<a>', 'files/<a>/<path>', 'one'],
    ['diff/<path>?diff1=<a>&diff2=<b>&show_rev=1', 'files/<a>/<path>', 'one'],
    ['diff/<path>', 'files/tip/<path>', 'two'],
    ['render/<b>/<path>', 'files/<b>/<path>', 'two'],
    ['history/<a>/<path>', 'changelog/<a>/<path>', 'first'],
    ['commits/tip/', 'changelog', 'second'],
    ['commits', 'changelog', 'second'],
    ['commits/<b>/<path>', 'changelog/<b>/<path>', 'second'],
  ])('%s leads to %s', async (address, expected, shown) => {
    const { status, headers } = await web.get(`/${base()}/${at(address)}`);
    expect([status, headers.get('location')]).toEqual([302, `/${base()}/${at(expected)}`]);
    const page = await web.get(headers.get('location') ?? '');
    expect([page.status, page.text.includes(shown)]).toEqual([200, true]);
  });

  it('download is the file itself', async () => {
    const { status, text, headers } = await web.get(`/${base()}/${at('download/<a>/<path>')}`);
    expect([status, text]).toEqual([200, 'one\n']);
    expect(headers.get('content-disposition')).toContain('attachment');
  });

  it.each([
    'compare/a',
    'compare/a...',
    'compare/a...b...c',
    'diff/%2e%2e/x?diff2=<a>',
    'diff/x?diff2=..',
    'annotate/%2e%2e/x',
    'annotate/tip/a/%2e%2e/%2e%2e/%2e%2e/%2e%2e/x',
    'annotate/tip/a%2Fb',
    'changelog/%2e/x',
  ])('%s leads nowhere', async (address) => {
    const cookie = [...web.cookies].map(([name, value]) => `${name}=${encodeURIComponent(value)}`).join('; ');
    // As it is: a client of HTTP would resolve the dots before it asks.
    const head = [`GET /${base()}/${at(address)} HTTP/1.1`, 'Host: a', `Cookie: ${cookie}`];
    const [answer] = await exchange(cluster.baseUrl, { pieces: [`${head.join('\r\n')}\r\n\r\n`], answers: 1 });
    expect([answer?.status, answer?.headers.get('location')]).toEqual([404, undefined]);
  });

  it('B10 says of a repository that may not be read what it says of none', async () => {
    const hidden = encodeURI(await makeRepository(type, { private: true }));
    const missing = encodeURI(uniqueName('missing'));
    for (const address of [
      'diff/x?diff1=a&diff2=b',
      'annotate/tip/x',
      'compare/rev@a...rev@b',
      'compare/nonsense',
      'commits',
      'history/tip/x',
      'changelog/tip/x',
      'download/tip/x',
    ]) {
      const [told, expected] = [await web.get(`/${hidden}/${address}`), await web.get(`/${missing}/${address}`)];
      expect([told.status, told.headers.get('location')]).toEqual([403, null]);
      expect([expected.status, told.text.replaceAll(hidden, missing)]).toEqual([403, expected.text]);
    }
  });
});
