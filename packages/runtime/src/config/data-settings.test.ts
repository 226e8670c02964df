import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import {
  dataClientSettings,
  dataServerSettings,
  readDataClientOptions,
  readDataServerOptions,
} from './data-settings.ts';
import { readConfig } from './setting.ts';

const server = (env: Record<string, string>) => readDataServerOptions(readConfig(dataServerSettings, env));
const client = async (env: Record<string, string>) => readDataClientOptions(readConfig(dataClientSettings, env));

async function pemFile(): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'trunkline-pem-'));
  onTestFinished(() => rm(directory, { recursive: true }));
  await writeFile(join(directory, 'file.pem'), 'PEM');
  return join(directory, 'file.pem');
}

it('has defaults for one machine', async () => {
  expect(await server({})).toEqual({ host: '127.0.0.1', port: 0, url: null, tls: null });
  expect(await client({})).toEqual({ networks: ['127.0.0.0/8', '::1'], ca: null });
});

it('reads certificates from their files', async () => {
  const file = await pemFile();
  const tls = { TRUNKLINE_DATA_TLS_CERT: file, TRUNKLINE_DATA_TLS_KEY: file };
  expect(await server(tls)).toMatchObject({ tls: { cert: 'PEM', key: 'PEM' } });
  expect(await client({ TRUNKLINE_DATA_TLS_CA: file })).toMatchObject({ ca: 'PEM' });
});

it.each([
  [{ TRUNKLINE_DATA_HOST: '0.0.0.0' }, 'TRUNKLINE_DATA_URL must be set'],
  [{ TRUNKLINE_DATA_HOST: '::' }, 'TRUNKLINE_DATA_URL must be set'],
  [{ TRUNKLINE_DATA_URL: 'http://x/path' }, 'TRUNKLINE_DATA_URL must be a URL'],
  [{ TRUNKLINE_DATA_URL: 'http://user:secret@x' }, 'TRUNKLINE_DATA_URL must be a URL'],
  [{ TRUNKLINE_DATA_URL: 'nats://x' }, 'TRUNKLINE_DATA_URL must be a URL'],
  [{ TRUNKLINE_DATA_TLS_CERT: '/a' }, 'must be set together'],
  [{ TRUNKLINE_DATA_TLS_CERT: '/missing', TRUNKLINE_DATA_TLS_KEY: '/missing' }, 'CERT cannot be read'],
  [
    { TRUNKLINE_DATA_TLS_CERT: '/a', TRUNKLINE_DATA_TLS_KEY: '/a', TRUNKLINE_DATA_URL: 'http://x' },
    'TRUNKLINE_DATA_URL must begin with https:',
  ],
])('of a worker refuses %j', async (env, text) => {
  await expect((async () => server(env))()).rejects.toThrow(text);
});

it.each([
  [{ TRUNKLINE_DATA_NETWORKS: ',' }, 'TRUNKLINE_DATA_NETWORKS must name at least one network'],
  [{ TRUNKLINE_DATA_NETWORKS: '10.0.0.0/8,worker' }, 'TRUNKLINE_DATA_NETWORKS must be networks'],
  [{ TRUNKLINE_DATA_TLS_CA: '/missing' }, 'TRUNKLINE_DATA_TLS_CA cannot be read'],
])('of a gateway refuses %j', async (env, text) => {
  await expect(client(env)).rejects.toThrow(text);
});
