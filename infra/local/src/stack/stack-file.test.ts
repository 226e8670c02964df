import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { clearFormerStack, writeStackFile, type StackInfo } from './stack-file.ts';

let path = '';
beforeEach(() => (path = join(mkdtempSync(join(tmpdir(), 'trunkline-stack-')), 'stack.json')));
afterEach(() => rmSync(join(path, '..'), { recursive: true }));

const infoWith = (processes: StackInfo['processes']): StackInfo => ({
  baseUrl: 'http://127.0.0.1:1',
  baseUrls: ['http://127.0.0.1:1'],
  metricsUrl: 'http://127.0.0.1:2/metrics',
  metricsUrls: ['http://127.0.0.1:2/metrics'],
  adminUser: 'admin',
  adminApiKey: '0'.repeat(40),
  storages: { default: '/r' },
  settings: {},
  databaseUrl: 'postgres://x',
  natsUrl: 'nats://x',
  processes,
});

it('writes a file that only its owner can read', () => {
  writeStackFile(path, infoWith([]));
  expect(statSync(path).mode & 0o777).toBe(0o600);
  expect(JSON.parse(readFileSync(path, 'utf8'))).toEqual(infoWith([]));
});

describe('clearFormerStack', () => {
  it.each(['{"processes":', '{"processes":[{"pid":"x"}]}'])('removes the broken file %s', async (text) => {
    writeFileSync(path, text);
    await clearFormerStack(path);
    expect(existsSync(path)).toBe(false);
  });

  it('does not wait for a process with another command', async () => {
    writeStackFile(path, infoWith([{ role: 'gateway', pid: process.pid, port: 1 }]));
    await clearFormerStack(path);
    expect(existsSync(path)).toBe(false);
  });

  it('waits for the processes of a killed supervisor', async () => {
    const script = 'process.stdout.write("up"); process.stdin.on("end", () => process.exit()).resume()';
    const child = spawn(process.execPath, ['-e', script, '--', 'vcs-worker'], { stdio: ['pipe', 'pipe', 'inherit'] });
    await once(child.stdout, 'data');
    writeStackFile(path, infoWith([{ role: 'vcs-worker', pid: child.pid ?? 0, port: 1 }]));
    let cleared = false;
    const clearing = clearFormerStack(path).then(() => (cleared = true));
    await new Promise(setImmediate);
    expect(cleared).toBe(false);
    child.stdin.end();
    await clearing;
  });
});
