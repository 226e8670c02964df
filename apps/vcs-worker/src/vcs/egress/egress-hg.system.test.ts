import { execFile, spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { Server } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startEgressGuard } from './egress-guard.ts';
import type { EgressGuard, EgressSession } from './egress-guard.ts';

const run = promisify(execFile);
const remoteHost = '127.0.0.2';
const hostNames: Record<string, string[]> = { 'allowed.example': [remoteHost], 'victim.example': ['127.0.0.1'] };
const environment = { PATH: process.env['PATH'], HOME: '/nonexistent', HGRCPATH: '', HGPLAIN: '+strictflags' };
const bigFileBytes = 8_000_000;

const victimLog: string[] = [];
let directory = '';
let guard: EgressGuard;
let session: EgressSession;
let hgServe: ChildProcess;
let redirector: Server;
let victim: Server;
let remoteUrl = '';
let redirectorUrl = '';
let victimUrl = '';

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'trunkline-egress-hg-'));
  guard = await startEgressGuard({
    allowedRemotes: [remoteHost],
    lookup: (host) => Promise.resolve(hostNames[host] ?? []),
  });
  session = guard.open({ bytesMax: 1e9 });
  await startHgServe();
  victim = createServer((request, response) => {
    victimLog.push(request.url ?? '');
    response.end();
  });
  victimUrl = `http://victim.example:${await listen(victim, '127.0.0.1')}`;
  redirector = createServer((request, response) => {
    const target = request.url?.startsWith('/to-victim') ? victimUrl : remoteUrl;
    response.writeHead(301, { Location: `${target}/${new URL(request.url ?? '', 'http://x').search}` }).end();
  });
  redirectorUrl = `http://allowed.example:${await listen(redirector, remoteHost)}`;
});

afterAll(async () => {
  await guard.close();
  hgServe.kill();
  redirector.close();
  victim.close();
  await rm(directory, { recursive: true });
});

async function listen(server: Server, host: string): Promise<number> {
  server.listen(0, host);
  await once(server, 'listening');
  const address = server.address();
  return typeof address === 'object' && address !== null ? address.port : 0;
}

async function startHgServe(): Promise<void> {
  const repository = join(directory, 'remote');
  await run('hg', ['init', repository], { env: environment });
  await writeFile(join(repository, 'big'), Buffer.alloc(bigFileBytes, crypto.randomUUID()));
  await writeFile(join(repository, 'random'), crypto.getRandomValues(new Uint8Array(65_536)));
  await run('hg', ['-R', repository, 'commit', '-A', '-q', '-m', 'first', '-u', 'a'], { env: environment });

  const args = ['-R', repository, 'serve', '--address', remoteHost, '--port', '0', '--print-url'];
  hgServe = spawn('hg', args, { env: environment, stdio: ['ignore', 'pipe', 'ignore'] });
  if (hgServe.stdout === null) throw new Error('hg serve has no output');
  const [line] = await once(createInterface(hgServe.stdout), 'line');
  remoteUrl = `http://allowed.example:${new URL(String(line)).port}`;
}

function hg(through: EgressSession, ...args: string[]) {
  const proxy = [
    `--config=http_proxy.host=${through.host}:${through.port}`,
    `--config=http_proxy.user=${through.username}`,
    `--config=http_proxy.passwd=${through.password}`,
    '--config=http_proxy.always=true',
  ];
  return run('hg', [...proxy, ...args], { env: environment });
}

it('hg identifies and clones over http through the guard, with --stream and with --pull', async () => {
  const { stdout } = await hg(session, 'identify', '--id', remoteUrl);
  for (const mode of ['--stream', '--pull']) {
    const clone = join(directory, `clone${mode}`);
    await hg(session, 'clone', '--noupdate', mode, remoteUrl, clone);
    const tip = await run('hg', ['-R', clone, 'identify', '--id', '-r', 'tip'], { env: environment });
    expect(tip.stdout).toBe(stdout);
    const file = { env: environment, maxBuffer: 2 * bigFileBytes };
    expect((await run('hg', ['-R', clone, 'cat', '-r', 'tip', join(clone, 'big')], file)).stdout).toHaveLength(
      bigFileBytes,
    );
  }
  expect(session.bytesReceived).toBeGreaterThan(2 * 65_536);
});

it('D7 hg follows a 301 to an allowed host', async () => {
  const direct = await hg(session, 'identify', '--id', remoteUrl);
  expect((await hg(session, 'identify', '--id', `${redirectorUrl}/old-name`)).stdout).toBe(direct.stdout);
});

it('D7 hg does not reach a private address, by its URL or by a redirect', async () => {
  for (const url of [`${redirectorUrl}/to-victim`, victimUrl]) {
    await expect(hg(session, 'identify', url)).rejects.toThrow('403');
  }
  expect(victimLog).toEqual([]);
});

it('hg without the credentials of an open session fails with 407', async () => {
  const closed = guard.open({ bytesMax: 1e9 });
  closed.close();
  await expect(hg(closed, 'identify', remoteUrl)).rejects.toThrow('407');
});

it('D8 a clone over the byte limit fails', async () => {
  const small = guard.open({ bytesMax: 30_000 });
  const clone = hg(small, 'clone', '--noupdate', remoteUrl, join(directory, 'too-large'));
  await expect(clone).rejects.toThrow('Command failed');
  expect(small.bytesReceived).toBeGreaterThan(30_000);
});
