import { execFile } from 'node:child_process';
import { chmod, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { infra } from './project-root.ts';

const analyze = process.env['TRUNKLINE_TEST_SYSTEMD_ANALYZE'];
if (!analyze) console.warn('systemd-analyze was not found: `npm test` finds or fetches it.');

/** Limits of what systemd calls the exposure of a service, from 0 to 100. */
const exposureMax = { 'trunkline-gateway': 15, 'trunkline-migrate': 15, 'trunkline-vcs-worker': 20 };

const systemd = infra('systemd');
const units = ['trunkline-gateway', 'trunkline-migrate', 'trunkline-vcs-worker'] as const;
let directory: string;

const fileOf = (unit: string) => `${unit}${unit === 'trunkline-migrate' ? '' : '@'}.service`;
const instanceOf = (unit: string) => fileOf(unit).replace('@', '@1');

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'trunkline-units-'));
  // Programs have to exist: this directory stands for the root of a machine on which everything is installed.
  const program = join(directory, 'usr/bin/node');
  await mkdir(dirname(program), { recursive: true });
  await writeFile(program, '#!/bin/sh\n');
  await chmod(program, 0o755);
  for (const unit of units) {
    const text = await readFile(join(systemd, fileOf(unit)), 'utf8');
    await writeFile(join(directory, instanceOf(unit)), text.replaceAll('/usr/bin/node', program));
  }
});
afterAll(() => rm(directory, { recursive: true }));

async function run(args: readonly string[]): Promise<string> {
  const { stdout, stderr } = await promisify(execFile)(String(analyze), [...args], {
    env: { PATH: process.env['PATH'], HOME: directory, LC_ALL: 'C' },
  }).catch((error: { stdout?: string; stderr?: string }) => error);
  return `${stdout ?? ''}${stderr ?? ''}`;
}

const started = ['trunkline-gateway', 'trunkline-vcs-worker'];
it.each(started)('%s has the threads that its process needs', async (unit) => {
  expect(await readFile(join(systemd, fileOf(unit)), 'utf8')).toMatch(/^Environment=.*\bUV_THREADPOOL_SIZE=16\b/m);
});
it.each(started)('%s has its process collect all garbage seldom', async (unit) => {
  expect(await readFile(join(systemd, fileOf(unit)), 'utf8')).toMatch(/^ExecStart=\S+ --heap-growing-percent=300 /m);
});

it.each(units)('%s names a page of the manual', async (unit) => {
  const text = await readFile(join(systemd, fileOf(unit)), 'utf8');
  const [, page = ''] = /^Documentation=file:\/\/\/opt\/trunkline\/(docs\/running\/\S+)$/m.exec(text) ?? [];
  expect(await readFile(join(systemd, '../..', page), 'utf8')).toMatch(/^# /);
});

describe.skipIf(!analyze).each(units)('%s', (unit) => {
  it('is a unit in which systemd finds nothing wrong', async () => {
    const found = await run(['verify', '--man=no', join(directory, instanceOf(unit))]);
    expect(found.split('\n').filter((line) => line.includes(unit))).toEqual([]);
  });

  it('gives its process few rights', async () => {
    const found = await run(['security', '--offline=yes', '--no-pager', join(directory, instanceOf(unit))]);
    const [, exposure] = /exposure level for \S+: (\d+\.\d)/.exec(found) ?? [];
    expect([unit, Number(exposure) * 10 <= exposureMax[unit]]).toEqual([unit, true]);
  });

  it('reads its settings from files, and waits long enough for its process to stop', async () => {
    const text = await readFile(join(systemd, fileOf(unit)), 'utf8');
    expect(text).toMatch(/^EnvironmentFile=\/etc\/trunkline\//m);
    expect(text).not.toMatch(/^Environment=.*(SECRET|PASSWORD|_URL|KEY)/m);
    expect(text).toMatch(unit === 'trunkline-migrate' ? /^Type=oneshot$/m : /^TimeoutStopSec=60$/m);
  });
});

it.skipIf(!analyze)('systemd finds a setting that does not exist', async () => {
  const path = join(directory, 'wrong.service');
  await writeFile(path, `[Service]\nExecStart=${join(directory, 'usr/bin/node')}\nProtectSistem=strict\n`);
  expect(await run(['verify', '--man=no', path])).toContain('ProtectSistem');
});

it('every unit is tested', async () => {
  const files = (await readdir(systemd)).filter((name) => name.endsWith('.service'));
  expect(files.toSorted()).toEqual(units.map(fileOf).toSorted());
});
