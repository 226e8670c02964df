import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { readDescription } from './adopt-git.ts';

let path: string;
beforeEach(async () => {
  path = await mkdtemp(join(tmpdir(), 'description-'));
});
afterEach(() => rm(path, { recursive: true }));

async function described(content: string | Uint8Array): Promise<string | null> {
  await writeFile(join(path, 'description'), content);
  return readDescription(path);
}

it.each([
  ['The library\n', 'The library'],
  ['\ufeffBücher, \u{1f4da}\r\nand more\r\n', 'Bücher, \u{1f4da}\nand more'],
  ['a\tb\n\nc', 'a\tb\n\nc'],
  ['Unnamed repository of the archive\n', 'Unnamed repository of the archive'],
])('%j is a description', async (content, text) => {
  expect(await described(content)).toBe(text);
});

it.each([
  "Unnamed repository; edit this file 'description' to name the repository.\n",
  'Unnamed repository; edit this file to name it for gitweb.\n',
  '',
  ' \n\n',
  'red \u001b[31m',
  'a\0b',
  'a\rb',
  'a\u0085b',
  'a\u007fb',
])('%j is no description', async (content) => {
  expect(await described(content)).toBeNull();
});

it('bytes that are not UTF-8 are no description', async () => {
  expect(await described(Buffer.from('B\xfccher', 'latin1'))).toBeNull();
  expect(await described(Buffer.from('ü').subarray(0, 1))).toBeNull();
});

it('the description of a large file is its first 32 KiB, without a character that is cut off there', async () => {
  const text = await described(`a${'ü'.repeat(10_000_000)}`);
  expect(text).toBe(`a${'ü'.repeat((32 * 1024 - 2) / 2)}`);
});

it('a missing file and a directory give no description', async () => {
  expect(await readDescription(path)).toBeNull();
  await mkdir(join(path, 'description'));
  expect(await readDescription(path)).toBeNull();
});
