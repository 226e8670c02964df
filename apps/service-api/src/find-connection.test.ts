import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { UsageError } from './client-error.ts';
import { endpointOf, findConnection, shownHost } from './find-connection.ts';

describe('endpointOf', () => {
  it.each([
    ['http://h:5000', 'http://h:5000/_admin/api'],
    ['https://h/trunkline///', 'https://h/trunkline/_admin/api'],
    ['http://[::1]:80/', 'http://[::1]/_admin/api'],
  ])('appends the path to %s', (apihost, url) => {
    expect(endpointOf(apihost).href).toBe(url);
  });

  it.each(['localhost:5000', 'h', 'ftp://h', 'file:///etc', 'http://', 'http://h:99999'])('refuses %s', (apihost) => {
    expect(() => endpointOf(apihost)).toThrow(UsageError);
  });

  it('refuses a login that no header can have, and does not repeat it', () => {
    const refused = 'Invalid apihost: a % in the name or password before @ has to be written as %25';
    expect(() => endpointOf('http://ann:100%secret@h')).toThrow(refused);
    expect(endpointOf('http://ann:100%25secret@h').password).toBe('100%25secret');
  });
});

let folder: string;
let saved: string;
let broken: string;
let hostless: string;
let profiles: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'service-api-'));
  saved = join(folder, 'saved');
  broken = join(folder, 'broken');
  await writeFile(saved, '{"apikey":"file-key","apihost":"http://file"}');
  await writeFile(broken, '{');
  hostless = join(folder, 'hostless');
  await writeFile(hostless, '{"apikey":"file-key"}');
  profiles = join(folder, 'profiles');
  const work = { apihost: 'http://work', apikey: 'work-key' };
  const named = { work, home: { apihost: 'http://home', apikey: 'home-key' }, keyless: { apihost: 'http://work' } };
  await writeFile(profiles, JSON.stringify({ apikey: 'file-key', apihost: 'http://file', profiles: named }));
});

afterAll(() => rm(folder, { recursive: true }));

const connectionOfEnvironment = { apihost: 'http://env', apikey: 'env-key' };
const environment = { ...connectionOfEnvironment, profile: undefined };
const options = { apihost: 'http://option', apikey: 'option-key' };
const noEnvironment = { apihost: undefined, apikey: undefined, profile: undefined };

describe('shownHost', () => {
  it.each([
    ['https://code.example.com/', 'https://code.example.com/'],
    ['https://ann:a-password@code.example.com', 'https://ann:*****@code.example.com'],
    ['https://a-token@code.example.com/base/', 'https://*****@code.example.com/base'],
    ['http:ann:p@ss@code.example.com', 'http://ann:*****@code.example.com'],
  ])('shows %s as %s', (apihost, shown) => {
    expect(shownHost(apihost)).toBe(shown);
  });
});

describe('findConnection', () => {
  it('prefers options to the environment, and the environment to the file', async () => {
    expect(await findConnection(options, { ...environment, configPath: saved })).toEqual(options);
    expect(await findConnection({}, { ...environment, configPath: saved })).toEqual(connectionOfEnvironment);
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
      const inEnvironment = { ...noEnvironment, apihost, configPath: saved };
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

  it('takes host and key of a profile by its name', async () => {
    const config = { ...noEnvironment, configPath: profiles };
    expect(await findConnection({ profile: 'work' }, config)).toEqual({ apihost: 'http://work', apikey: 'work-key' });
    expect(await findConnection({}, { ...config, profile: 'work' })).toEqual({
      apihost: 'http://work',
      apikey: 'work-key',
    });
    expect(await findConnection({}, config)).toEqual({ apihost: 'http://file', apikey: 'file-key' });
  });

  it('prefers a profile of the options to the environment, and the environment to a profile that it names', async () => {
    const config = { ...connectionOfEnvironment, profile: 'home', configPath: profiles };
    expect(await findConnection({ profile: 'work' }, config)).toEqual({ apihost: 'http://work', apikey: 'work-key' });
    expect(await findConnection({}, config)).toEqual(connectionOfEnvironment);
    const { apihost } = options;
    expect(await findConnection({ profile: 'work', ...options }, config)).toEqual(options);
    await expect(findConnection({ profile: 'work', apihost }, config)).rejects.toThrow('was saved for another apihost');
  });

  it('takes what a profile lacks from the environment, not from another profile', async () => {
    const config = { ...connectionOfEnvironment, profile: undefined, configPath: profiles };
    expect(await findConnection({ profile: 'keyless' }, config)).toEqual({ apihost: 'http://work', apikey: 'env-key' });
    await expect(findConnection({ profile: 'keyless' }, { ...config, apikey: undefined })).rejects.toThrow(
      'missing --apikey or --apihost',
    );
  });

  it.each([
    ['worc', ', did you mean work?'],
    ['nosuch', ''],
    ['__proto__', ''],
    ['a\u001b', ''],
  ])('refuses the unknown profile %j', async (profile, meant) => {
    const refusal = new UsageError(`No profile ${JSON.stringify(profile)} in configuration file ${profiles}${meant}`);
    await expect(findConnection({ profile }, { ...environment, configPath: profiles })).rejects.toThrow(refusal);
    await expect(findConnection({}, { ...noEnvironment, profile, configPath: profiles })).rejects.toThrow(refusal);
  });
});
