import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { createSecureContext } from 'node:tls';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { startEgressGuard, type EgressGuardOptions } from '../egress/egress-guard.ts';
import { certificate, certificateKey } from '../testing/certificate.ts';
import { gitHttpBackend, requireLogin, serve } from '../testing/serve.ts';
import { commitGit, git } from '../testing/tools.ts';
import { makeSource, neverAborted, openWorkbench, remoteOf, type Workbench } from '../testing/workbench.ts';
import { discoverRefs } from './discover-refs.ts';

const remoteHost = '127.0.0.2';
const advertisement = { 'Content-Type': 'application/x-git-upload-pack-advertisement' };
const oid = '0123456789'.repeat(4);

let bench: Workbench;
let answer: RequestListener;
let rawId = '';
const victimLog: string[] = [];

beforeAll(async () => {
  bench = await openWorkbench();
  const { directory } = await makeSource(bench, 'git');
  rawId = await commitGit(directory, { a: '1' });
  await git(directory, 'branch', 'other');
  await git(directory, 'tag', 'v1');
  answer = gitHttpBackend(directory);
});
afterAll(() => bench.close());

interface Options extends Partial<EgressGuardOptions> {
  readonly prefix?: string;
  readonly signal?: AbortSignal;
  readonly checkTimeoutMs?: number;
  readonly trusted?: string;
}

/** Lists the refs of a URL through an egress guard that by default allows 127.0.0.2 alone. */
async function discover(url: string, options: Options = {}) {
  const {
    prefix = 'refs/heads/',
    signal = neverAborted,
    checkTimeoutMs = 10_000,
    trusted = certificate,
    ...guard
  } = options;
  const egress = bench.closeLater(await startEgressGuard({ allowedRemotes: [remoteHost], ...guard }));
  const trust = () => createSecureContext({ ca: trusted });
  return discoverRefs({ egress, trust, checkTimeoutMs }, remoteOf('git', url), prefix, signal);
}

async function served(listener: RequestListener, host = remoteHost): Promise<string> {
  return bench.closeLater(await serve(listener, host)).url;
}

async function servedTls(listener: RequestListener): Promise<string> {
  return bench.closeLater(await serve(listener, remoteHost, { cert: certificate, key: certificateKey })).url;
}

const victim = () =>
  served((request, response) => {
    victimLog.push(request.url ?? '');
    answer(request, response);
  }, '127.0.0.1');

const withLogin = (url: string, login: string) => url.replace('://', `://${login}@`);
const redirectTo = (response: ServerResponse, location: string) =>
  response.writeHead(301, { Location: location }).end();
const line = (text: string) => `${(text.length + 4).toString(16).padStart(4, '0')}${text}`;
const version1 = (...refs: string[]) =>
  `${line('# service=git-upload-pack\n')}0000${refs.map((ref) => line(`${ref}\n`)).join('')}`;

const heads = () => [
  { ref: 'refs/heads/main', oid: rawId },
  { ref: 'refs/heads/other', oid: rawId },
];

describe('discoverRefs', () => {
  const old: RequestListener = (request, response) => {
    delete request.headers['git-protocol'];
    answer(request, response);
  };

  it.each(['2', '1'])('lists refs and the target of HEAD by protocol version %s', async (version) => {
    const methods: string[] = [];
    const url = await served((request, response) => {
      methods.push(request.method ?? '');
      (version === '2' ? answer : old)(request, response);
    });
    expect(await discover(`${url}/.git`)).toEqual(heads());
    expect(methods).toEqual(version === '2' ? ['GET', 'POST'] : ['GET']);
    const head = { ref: 'HEAD', oid: rawId, target: 'refs/heads/main' };
    expect(await discover(`${url}/.git/`, { prefix: 'HEAD' })).toEqual([head]);
  });

  it('returns no refs for a remote without commits', async () => {
    const { url } = await makeSource(bench, 'git');
    expect(await discover(url, { allowedRemotes: ['127.0.0.0/8'] })).toEqual([]);
  });

  it('returns null for git:// and ssh', async () => {
    for (const url of ['git://remote.example/x', 'ssh://git@remote.example/x']) expect(await discover(url)).toBeNull();
  });

  it.each([
    ['the files of a repository', `${oid}\trefs/heads/main\n`],
    ['a message', `${version1()}${line('ERR no\n')}0000`],
    ['other ids', `${version1(`${oid}${oid.slice(16)} refs/heads/main\0x`)}0000`],
    ['other names', `${version1(`${oid} refs/heads/main\0x`, `${oid} ../../x`)}0000`],
  ])('returns null, so that native git is used, when the answer is %s', async (_name, text) => {
    const url = await served((_request, response) => response.writeHead(200, advertisement).end(text));
    expect(await discover(`${url}/x`, { prefix: '' })).toBeNull();
  });

  it.each([
    ['html', '<!doctype html><title>Sign in</title>', 'not a repository'],
    [
      'a torn list',
      version1(`${oid} refs/heads/main\0symref=HEAD:refs/heads/main`, `${oid} refs/heads/oth`),
      'broken remote',
    ],
    ['a list torn in a line', `${version1(`${oid} refs/heads/main\0x`)}003f${oid}`, 'broken remote'],
    ['nothing', '', 'not a repository'],
  ])('fails when the answer is %s', async (_name, text, failure) => {
    const url = await served((_request, response) => response.writeHead(200, advertisement).end(text));
    await expect(discover(`${url}/x`, { prefix: '' })).rejects.toMatchObject({ failure });
  });

  it.each([404, 500, 301])('fails when the answer has status %d', async (status) => {
    const url = await served((_request, response) => response.writeHead(status).end(version1()));
    await expect(discover(`${url}/x`)).rejects.toMatchObject({ kind: 'remote-failed' });
  });
});

describe('D7 addresses and redirects of a remote', () => {
  it('a 301 to the path with .git is followed, and later requests go to that path', async () => {
    const url = await served((request, response) => {
      if (request.url?.startsWith('/.git/')) return answer(request, response);
      redirectTo(response, request.url?.replace('/x/', '/.git/') ?? '');
    });
    expect(await discover(`${url}/x`)).toEqual(heads());
  });

  it('a forbidden address is never reached: literal, resolved, mixed with an allowed one, or by redirect', async () => {
    const port = new URL(await victim()).port;
    const lookup = async (host: string) => (host === 'mixed.example' ? [remoteHost, '127.0.0.1'] : ['127.0.0.1']);
    const redirecting = await served((request, response) => {
      redirectTo(response, `http://127.0.0.1:${port}${request.url?.replace('/x/', '/.git/') ?? ''}`);
    });
    const urls = ['127.0.0.1', '[::ffff:7f00:1]', 'mixed.example', 'private.example'].map((host) => `http://${host}`);
    for (const url of [...urls.map((origin) => `${origin}:${port}/.git`), `${redirecting}/x`]) {
      await expect(discover(url, { lookup }), url).rejects.toMatchObject({ kind: 'remote-refused' });
    }
    expect(victimLog).toEqual([]);
  });

  it('a host that resolves to a private address after the first request is refused', async () => {
    const addresses = [[remoteHost], ['127.0.0.1']];
    const lookup = vi.fn(async () => addresses.shift() ?? []);
    const url = await served(answer);
    const flipping = `http://flip.example:${new URL(url).port}/.git`;
    await expect(discover(flipping, { lookup })).rejects.toMatchObject({ kind: 'remote-refused' });
    expect(lookup).toHaveBeenCalledTimes(2);
  });

  it.each([
    ['without end', (path: string) => path, 'broken remote'],
    ['to another path', () => '/elsewhere', 'not a repository'],
    ['to another service', (path: string) => path.replace('upload', 'receive'), 'not a repository'],
    ['to another scheme', (path: string) => `ftp://${remoteHost}${path}`, 'address refused'],
    ['to no address', () => 'http://[', 'not a repository'],
  ])('a redirect %s is not followed', async (_name, location, failure) => {
    const asked: string[] = [];
    const url = await served((request, response) => {
      asked.push(request.url ?? '');
      redirectTo(response, location(request.url ?? ''));
    });
    await expect(discover(`${url}/x`)).rejects.toMatchObject({ failure });
    expect(asked.length).toBeLessThanOrEqual(6);
    expect(new Set(asked).size).toBe(1);
  });

  it('a redirect of a POST is not followed', async () => {
    const url = await served((request, response) => {
      if (request.method === 'GET') return answer(request, response);
      redirectTo(response, `http://127.0.0.1:1${request.url ?? ''}`);
    });
    await expect(discover(`${url}/.git`)).rejects.toMatchObject({ kind: 'remote-failed' });
  });
});

describe('D7 over https', () => {
  const lookup = async () => [remoteHost];

  it('a certificate for the host from a trusted authority is required', async () => {
    const url = await servedTls(answer);
    const named = (host: string) => `https://${host}:${new URL(url).port}/.git`;
    expect(await discover(`${url}/.git`)).toEqual(heads());
    expect(await discover(named('remote.example'), { lookup })).toEqual(heads());
    const refused = { kind: 'remote-failed' };
    await expect(discover(named('other.example'), { lookup })).rejects.toMatchObject(refused);
    await expect(discover(`${url}/.git`, { trusted: '' })).rejects.toMatchObject(refused);
  });

  it('a redirect from http to https is followed, from https to http refused', async () => {
    const [plain, secure] = [await served(answer), await servedTls(answer)];
    const upwards = await served((request, response) => redirectTo(response, `${secure}${request.url ?? ''}`));
    expect(await discover(`${upwards}/.git`)).toEqual(heads());
    const downwards = await servedTls((request, response) => redirectTo(response, `${plain}${request.url ?? ''}`));
    await expect(discover(`${downwards}/.git`)).rejects.toMatchObject({ failure: 'address refused' });
  });
});

describe('D10 credentials', () => {
  it.each(['ann:s3cret-pw', 'ann%40example.com:p%40ss%3A%2F%25', 'token'])(
    '%s are sent when the remote requires a login',
    async (login) => {
      const plain = decodeURIComponent(login.includes(':') ? login : `${login}:`);
      const url = await served(requireLogin(plain, answer));
      expect(await discover(withLogin(`${url}/.git`, login))).toEqual(heads());
    },
  );

  it('that are missing or wrong fail, and appear in no error message', async () => {
    const url = `${await served(requireLogin('ann:s3cret-pw', answer))}/.git`;
    await expect(discover(url)).rejects.toMatchObject({ kind: 'remote-failed' });
    const failure: unknown = await discover(withLogin(url, 'ann:wr0ng-pw')).catch((error: unknown) => error);
    expect(failure).toMatchObject({ kind: 'remote-failed' });
    expect(JSON.stringify(failure) + String(failure)).not.toMatch(/wr0ng-pw|Basic/);
  });

  it('are not sent to another origin after a redirect, even if it requires a login', async () => {
    const headers: IncomingMessage['headers'][] = [];
    const greedy = await served((request, response) => {
      headers.push(request.headers);
      response.writeHead(401, { 'WWW-Authenticate': 'Basic realm="test"' }).end();
    });
    const url = await served(
      requireLogin('ann:pw', (request, response) => redirectTo(response, `${greedy}${request.url ?? ''}`)),
    );
    await expect(discover(withLogin(`${url}/x`, 'ann:pw'))).rejects.toMatchObject({ kind: 'remote-failed' });
    expect(headers.length).toBeGreaterThan(0);
    for (const { authorization } of headers) expect(authorization).toBeUndefined();
  });
});

describe('D8 limits of discovery', () => {
  const tooMany: RequestListener = (_request, response) => {
    response.writeHead(200, advertisement);
    response.end(Buffer.alloc(33 * 1024 * 1024, '0'));
  };

  it.each([
    ['http', served],
    ['https', servedTls],
  ])('an answer with too many bytes over %s is refused', async (_, serveWith) => {
    const url = await serveWith(tooMany);
    await expect(discover(`${url}/x`)).rejects.toMatchObject({ kind: 'too-large' });
  });

  it('a remote that sends nothing, or one byte at a time, times out', async () => {
    const silent = await served(() => {});
    const dripping = await served((_request, response) => {
      response.writeHead(200, advertisement);
      const drip = setInterval(() => response.write('0'), 20);
      response.on('close', () => clearInterval(drip));
    });
    for (const url of [silent, dripping]) {
      await expect(discover(`${url}/x`, { checkTimeoutMs: 300 })).rejects.toMatchObject({ kind: 'timeout' });
    }
  });

  it('an abort closes the connection and fails the discovery as cancelled', async () => {
    const controller = new AbortController();
    const closed = new Promise((resolve) => {
      void served((_request, response) => {
        response.on('close', () => resolve(null));
        controller.abort();
      }).then(async (url) => {
        await expect(discover(`${url}/x`, { signal: controller.signal })).rejects.toMatchObject({ kind: 'cancelled' });
      });
    });
    await closed;
    await expect(discover('http://127.0.0.2:1/x', { signal: controller.signal })).rejects.toMatchObject({
      kind: 'cancelled',
    });
  });
});
