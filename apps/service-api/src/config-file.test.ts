import { chmod, mkdir, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { UsageError } from './client-error.ts';
import { readConfigFile, readProfileNames, writeConfigFile, writeProfile } from './config-file.ts';

const connection = { apikey: 'k', apihost: 'http://h' };
let folder: string;
let path: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'service-api-'));
  path = join(folder, 'new', 'trunkline');
});

afterEach(() => rm(folder, { recursive: true }));

const modeOf = async (file: string) => (await stat(file)).mode & 0o777;

describe('writeConfigFile', () => {
  it('creates the directory and a file that only its owner may read', async () => {
    expect(await writeConfigFile(path, connection)).toBe('created');
    expect(await readFile(path, 'utf8')).toBe('{\n    "apikey": "k",\n    "apihost": "http://h"\n}\n');
    expect(await modeOf(path)).toBe(0o600);
  });

  it('replaces a file that others may read by one that only its owner may read', async () => {
    path = join(folder, 'trunkline');
    await writeFile(path, 'old');
    await chmod(path, 0o666);
    expect(await writeConfigFile(path, connection)).toBe('updated');
    expect(await modeOf(path)).toBe(0o600);
    expect(await readdir(folder)).toEqual(['trunkline']);
  });

  it('replaces a symbolic link and leaves its target alone', async () => {
    const target = join(folder, 'target');
    path = join(folder, 'trunkline');
    await writeFile(target, 'theirs');
    await symlink(target, path);
    await writeConfigFile(path, connection);
    expect(await readFile(target, 'utf8')).toBe('theirs');
    expect(await readConfigFile(path)).toEqual(connection);
  });

  it('leaves no temporary file when it cannot write', async () => {
    path = join(folder, 'trunkline');
    await mkdir(join(path, 'in the way'), { recursive: true });
    await expect(writeConfigFile(path, connection)).rejects.toThrow(UsageError);
    expect(await readdir(folder)).toEqual(['trunkline']);
  });
});

describe('readConfigFile', () => {
  it('returns an empty object when the file does not exist', async () => {
    expect(await readConfigFile(path)).toEqual({});
  });

  it('reads only strings and ignores other members', async () => {
    path = join(folder, 'trunkline');
    await writeFile(path, '{"apikey":1,"apihost":"http://h","colour":"red"}');
    expect(await readConfigFile(path)).toEqual({ apihost: 'http://h' });
  });

  it.each(['', '{"apikey":"SECRET"', '["SECRET"]', 'null'])('refuses %j without repeating it', async (text) => {
    path = join(folder, 'trunkline');
    await writeFile(path, text);
    await expect(readConfigFile(path)).rejects.toThrow(
      new UsageError(`Configuration file ${path} is not a JSON object`),
    );
  });

  it('throws an error with the path of a file that cannot be read', async () => {
    await expect(readConfigFile(folder)).rejects.toThrow(
      new UsageError(`Could not read configuration file ${folder}: EISDIR`),
    );
  });
});

describe('profiles', () => {
  const work = { apikey: 'w', apihost: 'http://work' };

  it('are written beside host and key, and kept by what is written later, for the owner only', async () => {
    expect(await writeProfile(path, 'work', { apikey: 'old', apihost: 'http://work' })).toBe('created');
    expect(await writeConfigFile(path, connection)).toBe('updated');
    expect(await writeProfile(path, 'work', work)).toBe('updated');
    expect(await writeProfile(path, 'a.b', connection)).toBe('created');
    expect(JSON.parse(await readFile(path, 'utf8'))).toEqual({ ...connection, profiles: { work, 'a.b': connection } });
    expect(await modeOf(path)).toBe(0o600);
    expect(await readProfileNames(path)).toEqual(['a.b', 'work']);
    expect(await readConfigFile(path, 'work')).toEqual(work);
    expect(await readConfigFile(path)).toEqual(connection);
  });

  it('keep all members of a file that another release has written', async () => {
    path = join(folder, 'trunkline');
    const saved = { apihost: 'http://h', colour: 'red', profiles: { work: { ...work, timeout: 5 } } };
    await writeFile(path, JSON.stringify(saved));
    await writeProfile(path, 'work', { ...work, apikey: 'new' });
    const expected = { ...saved, profiles: { work: { ...work, timeout: 5, apikey: 'new' } } };
    expect(JSON.parse(await readFile(path, 'utf8'))).toEqual(expected);
  });

  it('are not written to a file that is no JSON object', async () => {
    path = join(folder, 'trunkline');
    await writeFile(path, 'old');
    await expect(writeProfile(path, 'work', work)).rejects.toThrow('is not a JSON object');
    expect(await readFile(path, 'utf8')).toBe('old');
  });

  it('are none where the file or its member is none', async () => {
    expect(await readProfileNames(path)).toEqual([]);
    path = join(folder, 'trunkline');
    await writeFile(path, '{"profiles":["work"]}');
    expect(await readProfileNames(path)).toEqual([]);
    await expect(readConfigFile(path, '0')).rejects.toThrow('No profile "0"');
  });
});
