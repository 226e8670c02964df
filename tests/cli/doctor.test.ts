import { generateKeyPairSync } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, inject, it, onTestFinished } from 'vitest';
import type { Finding } from '../../apps/trunklinectl/src/doctor/check.ts';
import { dataCertificate, dataCertificateKey } from '../../packages/runtime/src/data/testing/data-certificate.ts';
import { expectOne, sound, storages, wrongIn } from '../harness/doctor.ts';
import { eventually } from '../harness/eventually.ts';
import { trunklinectl } from '../harness/trunklinectl.ts';

let directory: string;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'trunkline-doctor-'));
});
afterAll(() => rm(directory, { recursive: true }));

const certificates = () => ({
  TRUNKLINE_DATA_TLS_CERT: join(directory, 'cert.pem'),
  TRUNKLINE_DATA_TLS_KEY: join(directory, 'key.pem'),
});

it('finds nothing wrong with a sound cluster, and says so', async () => {
  const ran = await eventually(
    () => trunklinectl(['doctor'], { env: sound }),
    ({ exitCode }) => exitCode === 0,
  );
  expect(ran.stdout).toContain('0 failures');
  expect(ran.stdout).toMatch(/ok +processes +The data port http:\S+ can be reached from here\./);
});

describe('settings', () => {
  it.each([
    [{ TRUNKLINE_DATA_PORT: 'x' }, 'TRUNKLINE_DATA_PORT must be a whole number.'],
    [{ TRUNKLINE_SECRET: '' }, 'TRUNKLINE_SECRET must be set.'],
    [{ TRUNKLINE_STORAGE_ROOT: '/elsewhere' }, 'TRUNKLINE_STORAGE_ROOT must be the path of `default`'],
  ])('names %j', async (env, what) => expectOne(await wrongIn('settings', env), 'failure', what));

  it('does not keep other checks from running', async () => {
    const env = { ...sound, TRUNKLINE_NATS_URL: '' };
    const ran = await trunklinectl(['--json', 'doctor', '--only', 'settings', 'storages'], { env });
    const { findings } = JSON.parse(ran.stdout) as { findings: Finding[] };
    expect(ran.exitCode).toBe(1);
    expect(findings.map(({ check, level }) => `${check} ${level}`)).toEqual([
      'settings failure',
      ...storages.map(() => 'storages ok'),
    ]);
  });
});

describe('machine', () => {
  it.each([
    [{ UV_THREADPOOL_SIZE: '' }, {}, 'warning', 'Node.js has 4 threads'],
    [{}, { openFilesMax: async () => 256 }, 'failure', 'may open 256 files'],
    [{}, { memoryBytes: () => 500_000_000 }, 'warning', '500 MB of memory only'],
    [{ TRUNKLINE_CHILD_MEMORY_BYTES: String(9e14) }, {}, 'warning', 'TRUNKLINE_CHILD_MEMORY_BYTES is more than half'],
    [{}, { nodeVersion: '18.20.0' }, 'failure', 'Node.js is 18.20.0, which is too old'],
  ] as const)('names %j, %j', async (env, machine, level, what) => {
    expectOne(
      await wrongIn('machine', env, { memoryBytes: () => 8e9, openFilesMax: async () => 1e6, ...machine }),
      level,
      what,
    );
  });
});

describe('programs', () => {
  /** Quick programs instead of those that are not asked about. */
  const others = {
    TRUNKLINE_GIT_COMMAND: '["/bin/echo","git version 2.47.3"]',
    TRUNKLINE_HG_COMMAND: '["/bin/echo","7.0"]',
    TRUNKLINE_BZIP2_COMMAND: '["/bin/echo"]',
  };

  it.each([
    [{ TRUNKLINE_GIT_COMMAND: '["/nowhere/git"]' }, 'failure', 'git cannot be started by `/nowhere/git`'],
    [{ TRUNKLINE_HG_COMMAND: '["/nowhere/hg"]' }, 'failure', 'Mercurial cannot be started'],
    [{ TRUNKLINE_BZIP2_COMMAND: '["/nowhere/bzip2"]' }, 'warning', 'bzip2 cannot be started'],
    [{ TRUNKLINE_GIT_COMMAND: '["/bin/sh","-c","echo git version 2.20.1"]' }, 'warning', 'git is 2.20.1'],
  ] as const)('names %j', async (env, level, what) =>
    expectOne(await wrongIn('programs', { ...others, ...env }), level, what),
  );
});

describe('network', () => {
  it('names an address that is not of this machine', async () => {
    expectOne(
      await wrongIn('network', { TRUNKLINE_DATA_HOST: '192.0.2.1' }),
      'failure',
      'TRUNKLINE_DATA_HOST is no address',
    );
  });

  it('names a port on which another program listens', async () => {
    const other = createServer((socket) => socket.destroy()).listen(0, '127.0.0.1');
    onTestFinished(() => void other.close());
    await once(other, 'listening');
    const address = other.address();
    const port = typeof address === 'object' ? String(address?.port) : '';
    const wrong = await wrongIn('network', { TRUNKLINE_METRICS_PORT: port });
    expectOne(wrong, 'failure', 'Another program listens on TRUNKLINE_METRICS_PORT');
  });

  it('knows a port on which a gateway listens', async () => {
    expect(await wrongIn('network', { TRUNKLINE_PORT: new URL(inject('cluster').baseUrl).port })).toEqual([]);
  });
});

describe('certificates', () => {
  beforeAll(async () => {
    await writeFile(join(directory, 'cert.pem'), dataCertificate);
    await writeFile(join(directory, 'key.pem'), dataCertificateKey);
    const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    await writeFile(join(directory, 'other-key.pem'), privateKey.export({ type: 'pkcs8', format: 'pem' }));
  });

  it.each([
    [() => ({}), {}, 'A certificate in TRUNKLINE_DATA_TLS_CERT has expired', Date.parse('2200-01-01')],
    [() => ({}), {}, 'A certificate in TRUNKLINE_DATA_TLS_CERT is not valid yet', Date.parse('2001-01-01')],
    [
      () => ({ TRUNKLINE_DATA_TLS_KEY: join(directory, 'other-key.pem') }),
      {},
      'TRUNKLINE_DATA_TLS_KEY is not the key',
      null,
    ],
    [
      () => ({ TRUNKLINE_DATA_TLS_CERT: join(directory, 'none.pem') }),
      {},
      'TRUNKLINE_DATA_TLS_CERT cannot be read',
      null,
    ],
    [() => ({}), { TRUNKLINE_DATA_URL: 'https://other.example:7' }, 'is not for other.example', null],
  ])('%#: names what is wrong', async (files, env, what, at) => {
    const now = () => at ?? Date.parse('2030-01-01');
    expectOne(await wrongIn('certificates', { ...certificates(), ...files(), ...env }, { now }), 'failure', what);
  });

  it('finds nothing wrong with a sound one', async () => {
    expect(await wrongIn('certificates', certificates(), { now: () => Date.parse('2030-01-01') })).toEqual([]);
  });
});
