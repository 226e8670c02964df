import fc from 'fast-check';
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { repositoryPages } from '../../apps/gateway/src/web/repository/repository-route.ts';
import { createClient } from '../harness/client.ts';
import { startCluster, type Cluster } from '../harness/cluster.ts';
import { escaped } from '../harness/sample-address.ts';
import { sampleHostile } from '../harness/hostile-values.ts';
import { chosenRounds, chosenSeed, sampled } from '../harness/random.ts';
import { exchange } from '../harness/raw-http.ts';
import { makeRemote } from '../harness/remotes.ts';

const rounds = chosenRounds(300);
const seed = chosenSeed();
const types = ['hg', 'git'] as const;
/** Letters beyond Latin-1, from right to left, with marks, beyond 16 bits; Latin-1 alone; and as many as a name may have. */
const words = ['プロジェクト', 'עברית', 'कि-ส์', '\u{20000}\u{1d4b3}', 'Ürün', 'プ'.repeat(250)] as const;
const names = words.flatMap((word) => types.map((type) => `${word}-${type}`));
const files = ['プロ.txt', 'ü "q" \\;%.html', '\u202egnp.exe', `${'語'.repeat(80)}.bin`, "it's\t\x7f"] as const;
const locker = 'ロッカー';
const reader = '読者';
const headPattern = /^HTTP\/1\.1 \d{3} [\x20-\x7e]*(?:\r\n[\w!#$%&'*+.^`|~-]+: [\x20-\x7e]*)*$/;

let cluster: Cluster;
let key = '';

beforeAll(async () => {
  console.log(`TRUNKLINE_TEST_SEED=${seed} TRUNKLINE_TEST_FUZZ_ROUNDS=${rounds}`);
  const env = { TRUNKLINE_ANONYMOUS_VIEWING: 'true', TRUNKLINE_SITE_NAME: 'サイト "ü"' };
  cluster = await startCluster({ postgresUrl: inject('postgresUrl'), gateways: 1, workers: 1, env });
  const admin = createClient(cluster.baseUrl, cluster.adminKey);
  for (const username of [locker, reader]) {
    await admin.result('create_user', { username, email: `${escaped(username).replaceAll('%', '')}@example.com` });
  }
  key = (await admin.result<{ api_key: string }>('get_user', { userid: reader })).api_key;
  for (const type of types) {
    const remote = await makeRemote[type]();
    await remote.commit(Object.fromEntries(files.map((file) => [file, 'x\n'])));
    for (const word of words) {
      const args = { repo_name: `${word}-${type}`, repo_type: type, clone_uri: remote.url, enable_downloads: true };
      await admin.result('create_repo', args);
    }
    await remote.close();
    const locked = `${words[0]}-${type}`;
    await admin.result('grant_user_permission', { repoid: locked, userid: reader, perm: 'repository.write' });
    await admin.result('lock', { repoid: locked, userid: locker, locked: true });
  }
}, 120_000);

afterAll(() => cluster.stop());

interface Sent {
  readonly method: 'GET' | 'POST' | 'HEAD';
  readonly address: string;
  readonly type?: string;
  readonly body?: string;
}

/** Samples a request by which an answer may come to have a name or a text of the client in its head. */
function sampleRequest(): fc.Arbitrary<Sent> {
  const { text } = sampleHostile('/nonexistent', ['tip', '\r\nX-Own: 1', '"\\;%', 'ü', 'プ'.repeat(300)]);
  const name = fc.oneof({ weight: 4, arbitrary: fc.constantFrom(...names) }, { weight: 1, arbitrary: text });
  const file = fc.oneof({ weight: 3, arbitrary: fc.constantFrom(...files) }, { weight: 1, arbitrary: text });
  const get = (address: string): Sent => ({ method: 'GET', address });
  const push = 'application/x-git-receive-pack-request';
  const service = fc.constantFrom('git-receive-pack', 'git-upload-pack', 'プロ');
  const command = fc.constantFrom('unbundle', 'pushkey', 'lookup', 'capabilities', 'プロ');
  const view = fc.constantFrom('raw', 'rawfile', 'files');
  const suffix = fc.constantFrom('.zip', '.tar.gz', '.tar.bz2', '.rar');
  const sampleWith = <T>(one: fc.Arbitrary<T>, make: (name: string, one: T, text: string) => Sent) =>
    fc.tuple(name, one, text).map(([repository, sampledOne, other]) => make(escaped(repository), sampledOne, other));
  return fc.oneof(
    sampleWith(service, (repository, word) => get(`/${repository}/info/refs?service=${escaped(word)}`)),
    sampleWith(fc.constant(''), (repository) => {
      return { method: 'POST', address: `/${repository}/git-receive-pack`, type: push, body: '0000' };
    }),
    sampleWith(command, (repository, word, other): Sent => {
      const address = `/${repository}?cmd=${escaped(word)}&key=${escaped(other)}&namespace=${escaped(other)}`;
      return { method: 'POST', address, type: 'application/mercurial-0.1', body: 'x' };
    }),
    sampleWith(fc.tuple(view, file), (repository, [word, path]) => get(`/${repository}/${word}/tip/${escaped(path)}`)),
    sampleWith(suffix, (repository, end) => get(`/${repository}/archive/tip${end}`)),
    sampleWith(fc.constantFrom(...Object.keys(repositoryPages)), (repository, page, other) =>
      get(`/${repository}/${page}/${escaped(other)}?at=${escaped(other)}`),
    ),
    sampleWith(fc.constantFrom('rss', 'atom'), (repository, format) =>
      get(`/${repository}/feed/${format}?api_key=${key}`),
    ),
    sampleWith(text, (repository, one, other) =>
      get(`/_admin/${escaped(one)}?came_from=/${repository}${escaped(other)}`),
    ),
    sampleWith(fc.constantFrom('get_repo', 'delete_repo', 'プロ'), (_repository, method, other): Sent => {
      const call = { id: other, api_key: key, method, args: { repoid: other } };
      return { method: 'POST', address: '/_admin/api', type: 'application/json', body: JSON.stringify(call) };
    }),
  );
}

it(
  'A11 any answer has a status line and headers of printable ASCII, and its gateway goes on',
  async () => {
    const statuses = new Set<number>();
    const ended = Promise.race([...cluster.gateways, ...cluster.workers].map(({ exited }) => exited));
    const hostile = sampleHostile('/nonexistent', ['tip', 'ü']).text;
    const login = Buffer.from(`${reader}:${key}`).toString('base64');
    const isSafe = fc.asyncProperty(sampleRequest(), hostile, fc.boolean(), async (sent, text, isSignedIn) => {
      const { method, address, type = 'text/plain', body = '' } = sent;
      const own = text.replaceAll(/[\r\n\0]/g, '').slice(0, 300);
      const head = [
        `${method} ${address} HTTP/1.1`,
        'Host: localhost',
        `X-Request-Id: ${own}`,
        `Referer: /${own}`,
        ...(isSignedIn ? [`Authorization: Basic ${login}`] : []),
        `Content-Type: ${type}`,
        `Content-Length: ${Buffer.byteLength(body)}`,
        'Connection: close',
      ];
      const [answer] = await exchange(cluster.baseUrl, { pieces: [`${head.join('\r\n')}\r\n\r\n${body}`], answers: 1 });
      expect(answer?.head).toMatch(headPattern);
      expect([500, undefined], `${method} ${address}: ${answer?.body.toString()}`).not.toContain(answer?.status);
      expect(answer?.headers.has('x-own')).toBe(false);
      statuses.add(answer?.status ?? 0);
    });
    await fc.assert(isSafe, sampled(seed, 0, rounds));
    expect(await Promise.race([ended, Promise.resolve('alive')])).toBe('alive');
    expect([...statuses]).toEqual(expect.arrayContaining([200, 302, 403, 404, 423]));
  },
  60_000 + rounds * 5_000,
);
