import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { clearFormerServer, prepareCluster } from './cluster-dir.ts';

const binaries = { initdb: '/nonexistent', postgres: '/nonexistent', major: '18' };
let clusterDir = '';

beforeEach(() => {
  clusterDir = join(mkdtempSync(join(tmpdir(), 'trunkline-cluster-')), 'postgres');
  mkdirSync(clusterDir);
});
afterEach(() => rmSync(join(clusterDir, '..'), { recursive: true }));

const prepare = (uid?: number) =>
  prepareCluster({
    clusterDir,
    binaries,
    password: 'x',
    user: uid === undefined ? null : { uid, gid: uid },
    throwaway: true,
  });

it('leaves a cluster of this release unchanged', async () => {
  writeFileSync(join(clusterDir, 'PG_VERSION'), '18\n');
  await prepare();
  expect(existsSync(`${clusterDir}.new`)).toBe(false);
});

it('refuses a cluster of another release', async () => {
  writeFileSync(join(clusterDir, 'PG_VERSION'), '17\n');
  await expect(prepare()).rejects.toThrow(`${clusterDir} was created by Postgres 17 and this is Postgres 18`);
});

it('refuses a cluster of another user', async () => {
  writeFileSync(join(clusterDir, 'PG_VERSION'), '18\n');
  await expect(prepare(64_999)).rejects.toThrow('start as that user');
});

it('does not wait for a process that is not the server of the killed stack', async () => {
  const pidFile = join(clusterDir, 'postmaster.pid');
  writeFileSync(pidFile, `${process.pid}\n${clusterDir}\n`);
  await clearFormerServer(clusterDir);
  expect(existsSync(pidFile)).toBe(false);
});
