import { constants } from 'node:fs';
import { mkdtemp, open, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished, vi } from 'vitest';
import { copyByChild, type ChildCopy } from './handed-files.ts';

/** Returns a copy of a file with this content, or of the directory itself; `copied` has what arrived. */
async function setUp(content: Buffer | null) {
  const directory = await mkdtemp(join(tmpdir(), 'trunkline-child-'));
  const [from, to] = [join(directory, 'from'), join(directory, 'to')];
  await writeFile(from, content ?? '');
  const source = await open(content === null ? directory : from, constants.O_RDONLY);
  const target = await open(to, 'wx');
  onTestFinished(async () => {
    await source.close();
    await target.close();
    await rm(directory, { recursive: true });
  });
  const copy = (more: Partial<ChildCopy> = {}) =>
    copyByChild({
      from: source.fd,
      to: target.fd,
      size: content?.length ?? 1,
      signal: new AbortController().signal,
      copied: async () => {},
      ...more,
    });
  return { copy, arrived: () => readFile(to) };
}

const content = Buffer.from('some content of a file');

it('copies a file and tells how many bytes', async () => {
  const { copy, arrived } = await setUp(content);
  const copied = vi.fn(async (_bytes: number) => {});
  await copy({ copied });
  expect((await arrived()).equals(content)).toBe(true);
  expect(copied.mock.calls.reduce((sum, [bytes]) => sum + bytes, 0)).toBe(content.length);
});

it('cuts off what the file has gained since its size was read, and fills what it has lost with zeros', async () => {
  const longer = await setUp(content);
  await longer.copy({ size: 4 });
  expect((await longer.arrived()).toString()).toBe('some');
  const shorter = await setUp(content);
  await shorter.copy({ size: content.length + 3 });
  expect((await shorter.arrived()).equals(Buffer.concat([content, Buffer.alloc(3)]))).toBe(true);
});

it('ends with the signal, and with the error of who counts', async () => {
  const { copy } = await setUp(content);
  const cancelling = new AbortController();
  const copying = copy({ signal: cancelling.signal });
  const reason = new Error('cancelled');
  cancelling.abort(reason);
  await expect(copying).rejects.toBe(reason);
  await expect(copy({ signal: cancelling.signal })).rejects.toBe(reason);
  const failure = new Error('full');
  const full = await setUp(content);
  await expect(full.copy({ copied: () => Promise.reject(failure) })).rejects.toBe(failure);
});

it('says why a file cannot be read', async () => {
  const { copy } = await setUp(null);
  await expect(copy()).rejects.toThrow(/^cat failed: .*directory/);
});
