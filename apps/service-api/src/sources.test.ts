import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { UsageError } from './client-error.ts';
import { createSources, parseItems, readItems, sourceBytesMax } from './sources.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'service-api-'));
});
afterAll(() => rm(folder, { recursive: true }));

async function* chunksOf(...chunks: (string | Uint8Array)[]) {
  for (const chunk of chunks) yield Buffer.from(chunk);
}

async function* endless(taken: { bytes: number }) {
  const chunk = new Uint8Array(65_536);
  for (;;) {
    taken.bytes += chunk.length;
    yield chunk;
  }
}

async function readFileOf(content: string | Uint8Array): Promise<string> {
  const path = join(folder, 'value');
  await writeFile(path, content);
  return createSources(() => chunksOf()).read(`@${path}`, '"a"');
}

describe('createSources', () => {
  it.each([
    ['', ''],
    ['one', 'one'],
    ['one\n', 'one'],
    ['one\r\n', 'one'],
    ['one\n\n', 'one\n'],
    ['  Grüße\ntwo ', '  Grüße\ntwo '],
    ['\ufeffone', 'one'],
    ['\n', ''],
  ])('reads %j as %j', async (content, value) => {
    expect(await readFileOf(content)).toBe(value);
  });

  it.each(['-', '@-'])('reads standard input for %s, whatever its chunks are', async (source) => {
    const umlaut = Buffer.from('ü');
    const sources = createSources(() => chunksOf('a', umlaut.subarray(0, 1), umlaut.subarray(1), '\n'));
    expect(await sources.read(source, '"a"')).toBe('aü');
  });

  it('reads standard input for one value only', async () => {
    const sources = createSources(() => chunksOf('x'));
    await sources.read('-', '--apikey');
    const refusal = new UsageError('Standard input cannot be the value of both --apikey and "a"');
    await expect(sources.read('@-', '"a"')).rejects.toThrow(refusal);
  });

  it('refuses what is no UTF-8 text, without repeating it', async () => {
    const refusal = new UsageError('Could not read the value of "a": it is not UTF-8 text');
    await expect(readFileOf(Buffer.from([0x73, 0xff]))).rejects.toThrow(refusal);
  });

  it('reads values up to its limit, and of a source without an end not much more', async () => {
    expect(await readFileOf('x'.repeat(sourceBytesMax))).toHaveLength(sourceBytesMax);
    const refusal = new UsageError(`Could not read the value of "a": it has more than ${sourceBytesMax} bytes`);
    await expect(readFileOf('x'.repeat(sourceBytesMax + 1))).rejects.toThrow(refusal);
    const taken = { bytes: 0 };
    await expect(createSources(() => endless(taken)).read('-', '"a"')).rejects.toThrow(refusal);
    expect(taken.bytes).toBeLessThan(2 * sourceBytesMax);
  });

  it.each([
    ['nosuch', 'ENOENT'],
    ['', 'EISDIR'],
  ])('says why it cannot read %j', async (name, code) => {
    const sources = createSources(() => chunksOf());
    const refusal = new UsageError(`Could not read the value of "a": ${code}`);
    await expect(sources.read(`@${join(folder, name)}`, '"a"')).rejects.toThrow(refusal);
  });
});

const sources = { read: async (source: string, use: string) => `${source} for ${use}` };
const read = (...items: string[]) => readItems(parseItems(items), sources);

describe('items', () => {
  it('are split at the first colon and keep the rest', async () => {
    expect(await read('clone_uri:http://h:80/r', 'ldap_dn:uid=bent,dc=x', 'empty:')).toEqual({
      clone_uri: 'http://h:80/r',
      ldap_dn: 'uid=bent,dc=x',
      empty: '',
    });
  });

  it('have strings as values, of which the last one of a name counts', async () => {
    expect(await read('a:1', 'a:true', 'b:null')).toEqual({ a: 'true', b: 'null' });
  });

  it('keep a name that objects inherit as a member like any other', async () => {
    expect(JSON.stringify(await read('__proto__:x', 'constructor:y'))).toBe('{"__proto__":"x","constructor":"y"}');
  });

  it.each([
    ['a=@file', { a: '@file for "a"' }],
    ['a=@dir:x/file=@b', { a: '@dir:x/file=@b for "a"' }],
    ['a=-', { a: '- for "a"' }],
    ['a=@-', { a: '@- for "a"' }],
  ])('read the value of %j from its source', async (item, expected) => {
    expect(await read(item)).toEqual(expected);
  });

  it.each([
    ['a:@file', { a: '@file' }],
    ['a:@@file', { a: '@@file' }],
    ['a:-', { a: '-' }],
    ['a:=@file', { a: '=@file' }],
    ['a:b=@file', { a: 'b=@file' }],
    [':=@file', { '': '=@file' }],
    ['=@a:b', { '=@a': 'b' }],
    ['a=b:c', { 'a=b': 'c' }],
  ])('send %j as older clients do', async (item, expected) => {
    expect(await read(item)).toEqual(expected);
  });

  it.each(['b', 'b=', 'b=x', 'b=@', 'b=--', '=-', '=@file', '@file', '-'])('cannot be %j', (item) => {
    expect(() => parseItems(['a:1', item])).toThrow(new UsageError('Error parsing arguments'));
  });
});
