import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { UsageError } from './client-error.ts';
import { findConnection } from './find-connection.ts';

let folder: string;
let saved: string;
let broken: string;
let hostless: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'service-api-'));
  saved = join(folder, 'saved');
  broken = join(folder, 'broken');
  await writeFile(saved, '{"apikey":"file-key","apihost":"http://file"}');
  await writeFile(broken, '{');
  hostless = join(folder, 'hostless');
  await writeFile(hostless, '{"apikey":"file-key"}');
});

afterAll(() => rm(folder, { recursive: true }));

const environment = { apihost: 'http://env', apikey: 'env-key' };
const options = { apihost: 'http://option', apikey: 'option-key' };
const noEnvironment = { apihost: undefined, apikey: undefined };

describe('findConnection', () => {
  it('prefers options to the environment, and the environment to the file', async () => {
    expect(await findConnection(options, { ...environment, configPath: saved })).toEqual(options);
    expect(await findConnection({}, { ...environment, configPath: saved })).toEqual(environment);
    expect(await findConnection({}, { ...noEnvironment, configPath: saved })).toEqual({
      apikey: 'file-key',
      apihost: 'http://file',
    });
  });

  it('finds host and key separately', async () => {
    expect(
      await findConnection({ apihost: 'http://option' }, { ...noEnvironment, apikey: 'env-key', configPath: saved }),
    ).toEqual({ apihost: 'http://option', apikey: 'env-key' });
    expect(await findConnection({ apikey: 'option-key' }, { ...noEnvironment, configPath: saved })).toEqual({
      apihost: 'http://file',
      apikey: 'option-key',
    });
  });

  it.each(['http://option', 'https://file', 'http://file:81', 'http://file/below', 'file', 'http://file.example'])(
    'does not give the saved key to another host: %s',
    async (apihost) => {
      const refusal = new UsageError(
        'The key in the config file was saved for another apihost: please specify --apikey',
      );
      const inEnvironment = { apihost, apikey: undefined, configPath: saved };
      await expect(findConnection({}, inEnvironment)).rejects.toThrow(refusal);
      await expect(findConnection({ apihost }, { ...noEnvironment, configPath: saved })).rejects.toThrow(refusal);
    },
  );

  it.each(['http://file', 'http://file/', 'HTTP://FILE:80//'])(
    'gives the saved key to its host as %s',
    async (apihost) => {
      const found = await findConnection({ apihost }, { ...noEnvironment, configPath: saved });
      expect(found).toEqual({ apihost, apikey: 'file-key' });
    },
  );

  it('gives a saved key without a host to any host', async () => {
    const found = await findConnection({ apihost: 'http://option' }, { ...noEnvironment, configPath: hostless });
    expect(found).toEqual({ apihost: 'http://option', apikey: 'file-key' });
  });

  it('reads the file of --config instead of the default one', async () => {
    expect(await findConnection({ config: saved }, { ...noEnvironment, configPath: broken })).toMatchObject({
      apikey: 'file-key',
    });
  });

  it('does not open a file it does not need', async () => {
    expect(await findConnection(options, { ...noEnvironment, configPath: broken })).toEqual(options);
  });

  it.each([
    ['no file', { apikey: 'k' }, '/nonexistent/trunkline'],
    ['no home', { apihost: 'http://h' }, undefined],
  ])('throws UsageError when host or key is missing: %s', async (_case, given, configPath) => {
    await expect(findConnection(given, { ...noEnvironment, configPath })).rejects.toThrow(
      new UsageError('Could not find config file and missing --apikey or --apihost in params'),
    );
  });
});
