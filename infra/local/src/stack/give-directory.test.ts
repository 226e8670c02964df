import { linkSync, lstatSync, mkdirSync, mkdtempSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { giveDirectory } from './give-directory.ts';

const other = { uid: 60_999, gid: 60_999 };
const isRoot = process.geteuid?.() === 0;
const onlyRoot = 'root alone may give directories away';
let base = '';

beforeEach(() => (base = mkdtempSync(join(tmpdir(), 'trunkline-give-'))));
afterEach(() => rmSync(base, { recursive: true, force: true }));

describe('giveDirectory', () => {
  it('makes a directory that only its owner can enter', async () => {
    await giveDirectory(join(base, 'a', 'b'), null);
    expect(statSync(join(base, 'a', 'b')).mode & 0o777).toBe(0o700);
  });

  it('gives everything in it, links themselves and not what they name', async ({ skip }) => {
    if (!isRoot) skip(onlyRoot);
    const [given, outside] = [join(base, 'given'), join(base, 'outside')];
    mkdirSync(join(given, 'deep'), { recursive: true });
    writeFileSync(join(given, 'deep', 'file'), '');
    linkSync(join(given, 'deep', 'file'), join(given, 'deep', 'same'));
    writeFileSync(outside, '');
    symlinkSync(outside, join(given, 'link'));
    symlinkSync(base, join(given, 'deep', 'up'));
    await giveDirectory(given, other);
    for (const path of ['.', 'deep', 'deep/file', 'deep/same', 'link', 'deep/up']) {
      expect([path, lstatSync(join(given, path)).uid]).toEqual([path, other.uid]);
    }
    expect([statSync(outside).uid, statSync(base).uid]).toEqual([0, 0]);
  });

  it('goes on where a start was interrupted, and refuses the directory of a third user', async ({ skip }) => {
    if (!isRoot) skip(onlyRoot);
    mkdirSync(join(base, 'given', 'deep'), { recursive: true });
    await giveDirectory(join(base, 'given', 'deep'), other);
    await giveDirectory(join(base, 'given'), other);
    expect(statSync(join(base, 'given')).uid).toBe(other.uid);
    await expect(giveDirectory(join(base, 'given'), { uid: 60_998, gid: 60_998 })).rejects.toThrow(
      `belongs to user id ${other.uid}`,
    );
  });
});
