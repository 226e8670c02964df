import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, copyFile, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer as createHttpServer } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer as createTcpServer } from 'node:net';
import type { Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { gitHttpBackend } from '../testing/serve.ts';
import { startEgressGuard } from './egress-guard.ts';
import type { EgressGuard, EgressSession } from './egress-guard.ts';

const run = promisify(execFile);
const remoteHost = '127.0.0.2';
const hostNames: Record<string, string[]> = { 'allowed.example': [remoteHost], 'victim.example': ['127.0.0.1'] };
const environment = {
  PATH: process.env['PATH'],
  HOME: '/nonexistent',
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_TERMINAL_PROMPT: '0',
};

const victimLog: string[] = [];
const servers: Server[] = [];
let directory = '';
let guard: EgressGuard;
let session: EgressSession;
let remoteUrl = '';
let daemonUrl = '';
let victimUrl = '';

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'trunkline-egress-git-'));
  await makeRepository();
  guard = await startEgressGuard({
    allowedRemotes: [remoteHost],
    lookup: (host) => Promise.resolve(hostNames[host] ?? []),
  });
  session = guard.open({ bytesMax: 1e9 });
  victimUrl = `http://victim.example:${await listen(createHttpServer(recordVisit), '127.0.0.1')}`;
  remoteUrl = `http://allowed.example:${await listen(createHttpServer(serveGit), remoteHost)}`;
  daemonUrl = `git://allowed.example:${await listen(createGitDaemon(), remoteHost)}`;
});

afterAll(async () => {
  await guard.close();
  for (const server of servers) server.close();
  await rm(directory, { recursive: true });
});

async function listen(server: Server, host: string): Promise<number> {
  servers.push(server);
  server.listen(0, host);
  await once(server, 'listening');
  const address = server.address();
  return typeof address === 'object' && address !== null ? address.port : 0;
}

async function makeRepository(): Promise<void> {
  const bare = join(directory, 'repo.git');
  await run('git', ['init', '--quiet', '--bare', '--initial-branch=main', bare], { env: environment });
  await writeFile(join(directory, 'big'), crypto.getRandomValues(new Uint8Array(65_536)));
  const blob = (await run('git', ['-C', bare, 'hash-object', '-w', join(directory, 'big')])).stdout.trim();
  const index = { ...environment, GIT_INDEX_FILE: join(directory, 'index') };
  await run('git', ['-C', bare, 'update-index', '--add', '--cacheinfo', `100644,${blob},big`], { env: index });
  const tree = (await run('git', ['-C', bare, 'write-tree'], { env: index })).stdout.trim();
  const identity = ['-c', 'user.name=a', '-c', 'user.email=a@host.example'];
  const commit = await run('git', [...identity, '-C', bare, 'commit-tree', '-m', 'first', tree], { env: environment });
  await run('git', ['-C', bare, 'update-ref', 'refs/heads/main', commit.stdout.trim()], { env: environment });
}

function recordVisit(request: IncomingMessage, response: ServerResponse): void {
  victimLog.push(request.url ?? '');
  response.end();
}

function serveGit(request: IncomingMessage, response: ServerResponse): void {
  const { pathname, search } = new URL(request.url ?? '', 'http://host');
  if (pathname.startsWith('/to-victim')) {
    response.writeHead(302, { Location: `${victimUrl}/repo.git/info/refs${search}` }).end();
  } else if (!pathname.startsWith('/repo.git')) {
    response.writeHead(301, { Location: `${remoteUrl}/repo.git/info/refs${search}` }).end();
  } else {
    gitHttpBackend(directory)(request, response);
  }
}

function createGitDaemon(): Server {
  return createTcpServer({ allowHalfOpen: true }, (socket) => {
    const daemon = spawn('git', ['daemon', '--inetd', '--export-all', `--base-path=${directory}`], {
      env: environment,
    });
    socket.pipe(daemon.stdin).on('error', () => socket.destroy());
    daemon.stdout.pipe(socket).on('error', () => daemon.kill());
  });
}

function git(proxy: string, ...args: string[]) {
  return run('git', ['-c', `http.proxy=${proxy}`, '-c', 'http.followRedirects=true', ...args], { env: environment });
}

function proxyOf({ host, port, username, password }: EgressSession): string {
  return `http://${username}:${password}@${host}:${port}`;
}

it('git lists and clones over http through the guard', async () => {
  const refs = await git(proxyOf(session), 'ls-remote', `${remoteUrl}/repo.git`);
  expect(refs.stdout).toMatch(/^[0-9a-f]{40}\trefs\/heads\/main$/mu);
  const before = session.bytesReceived;
  await git(proxyOf(session), 'clone', '--quiet', '--bare', `${remoteUrl}/repo.git`, join(directory, 'cloned.git'));
  await run('git', ['-C', join(directory, 'cloned.git'), 'fsck', '--strict']);
  expect(session.bytesReceived - before).toBeGreaterThan(65_536);
});

it('D7 git follows a 301 to an allowed host', async () => {
  const refs = await git(proxyOf(session), 'ls-remote', `${remoteUrl}/old-name`);
  expect(refs.stdout).toContain('refs/heads/main');
});

it('D7 git does not reach a private address, by its URL or by a redirect', async () => {
  for (const url of [`${remoteUrl}/to-victim`, `${victimUrl}/repo.git`]) {
    await expect(git(proxyOf(session), 'ls-remote', url)).rejects.toThrow('403');
  }
  expect(victimLog).toEqual([]);
});

it('git without the credentials of an open session fails with 407', async () => {
  const closed = guard.open({ bytesMax: 1e9 });
  closed.close();
  for (const proxy of [proxyOf(closed), `http://${session.host}:${session.port}`]) {
    await expect(git(proxy, 'ls-remote', `${remoteUrl}/repo.git`)).rejects.toThrow('407');
  }
});

it('D8 a clone over the byte limit fails', async () => {
  const small = guard.open({ bytesMax: 30_000 });
  const clone = git(proxyOf(small), 'clone', '--bare', `${remoteUrl}/repo.git`, join(directory, 'too-large.git'));
  await expect(clone).rejects.toThrow('Command failed');
  expect(small.bytesReceived).toBeGreaterThan(30_000);
});

// The source of the connect command is valid JavaScript, so the test needs no build.
async function cloneByCommand(url: string, clone: string) {
  const script = join(directory, 'command', 'connect-command.mjs');
  const proxy = join(directory, 'command', 'proxy');
  await mkdir(join(directory, 'command'), { recursive: true });
  await copyFile(new URL('connect-command.ts', import.meta.url), script);
  await writeFile(proxy, `#!/bin/sh\nexec '${process.execPath}' '${script}' "$@"\n`);
  await chmod(proxy, 0o700);
  const egress = [session.host, session.port, session.username, session.password].join(':');
  const env = { ...environment, TRUNKLINE_EGRESS: egress };
  return run('git', ['-c', `core.gitProxy=${proxy}`, 'clone', '--bare', url, join(directory, clone)], {
    env,
  });
}

it('git clones over git:// through the connect command', async () => {
  await cloneByCommand(`${daemonUrl}/repo.git`, 'by-command.git');
  const refs = await run('git', ['-C', join(directory, 'by-command.git'), 'show-ref', 'main']);
  expect(refs.stdout).toContain('refs/heads/main');
});

it('D7 the connect command is refused with 403 for a private address', async () => {
  const port = new URL(victimUrl).port;
  await expect(cloneByCommand(`git://victim.example:${port}/repo.git`, 'never.git')).rejects.toThrow(
    'refused with status 403',
  );
  expect(victimLog).toEqual([]);
});
