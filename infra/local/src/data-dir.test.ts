import {
  chmodSync,
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { chooseDataDir, findClosedDir, giveDirectory, prepareDataDir } from './data-dir.ts';

// Whoever runs the tests is somebody else.
const stranger = { uid: (process.geteuid?.() ?? 0) + 1, gid: (process.getegid?.() ?? 0) + 1 };
const modeOf = (path: string) => statSync(path).mode & 0o777;
let base = '';

beforeEach(() => {
  base = realpathSync(mkdtempSync(join(tmpdir(), 'trunkline-data-dir-')));
  chmodSync(base, 0o755);
});
afterEach(() => {
  vi.restoreAllMocks();
  rmSync(base, { recursive: true, force: true });
});

describe('findClosedDir', () => {
  it('names the outermost directory that the user cannot enter', () => {
    mkdirSync(join(base, 'closed', 'open', 'shut'), { recursive: true });
    chmodSync(join(base, 'closed', 'open', 'shut'), 0o700);
    chmodSync(join(base, 'closed'), 0o700);
    expect(findClosedDir(join(base, 'closed', 'open', 'shut'), stranger)).toBe(join(base, 'closed'));
  });

  it('checks the mode bits of the owner for the owner', () => {
    const { uid, gid } = statSync(base);
    chmodSync(base, 0o700);
    expect(findClosedDir(base, stranger)).toBe(base);
    expect(findClosedDir(base, { uid, gid })).toBeNull();
  });
});

describe('prepareDataDir', () => {
  it('creates a directory that only its owner can enter', () => {
    expect(prepareDataDir(join(base, 'a', 'b'), null)).toBe(join(base, 'a', 'b'));
    expect(modeOf(join(base, 'a', 'b'))).toBe(0o700);
  });

  it('creates directories that the user of Postgres can enter, whatever the umask', () => {
    const umask = process.umask(0o077);
    prepareDataDir(join(base, 'a', 'b'), stranger);
    process.umask(umask);
    expect([modeOf(join(base, 'a')), modeOf(join(base, 'a', 'b'))]).toEqual([0o711, 0o711]);
  });

  it('lets the user of Postgres enter an empty directory, but never changes one in use', () => {
    const [empty, used] = [join(base, 'empty'), join(base, 'used')];
    for (const dir of [empty, used]) mkdirSync(dir, { mode: 0o700 });
    writeFileSync(join(used, 'file'), '');
    expect(prepareDataDir(empty, stranger)).toBe(empty);
    expect(() => prepareDataDir(used, stranger)).toThrow(`cannot enter ${used}`);
    expect(modeOf(used)).toBe(0o700);
  });

  it('refuses a directory that every user can write to, or that belongs to another user', () => {
    const shared = join(base, 'shared');
    mkdirSync(shared);
    chmodSync(shared, 0o1777);
    expect(() => prepareDataDir(shared, null)).toThrow(`${shared} cannot be used: every user can write to it`);
    vi.spyOn(process, 'geteuid').mockReturnValue(statSync(base).uid + 1);
    expect(() => prepareDataDir(base, null)).toThrow(`it belongs to user id ${statSync(base).uid}: start as that user`);
  });

  it('reports a file in the way', () => {
    writeFileSync(join(base, 'file'), '');
    expect(() => prepareDataDir(join(base, 'file'), null)).toThrow(
      `${join(base, 'file')} cannot be used: a file exists`,
    );
    expect(() => prepareDataDir(join(base, 'file', 'x'), null)).toThrow('a file exists at this path or above it');
  });
});

describe('chooseDataDir', () => {
  const choose = (user: typeof stranger | null, requested: string | null) =>
    chooseDataDir({ requested, checkout: join(base, 'checkout'), systemDir: join(base, 'system'), user });

  beforeEach(() => mkdirSync(join(base, 'checkout'), { mode: 0o700 }));

  it('returns the directory that was asked for', () => {
    expect(choose(null, join(base, 'asked'))).toBe(join(base, 'asked'));
  });

  it('returns .trunkline in the checkout when the user of Postgres can enter it', () => {
    expect(choose(null, null)).toBe(join(base, 'checkout', '.trunkline'));
    chmodSync(join(base, 'checkout'), 0o755);
    expect(choose(stranger, null)).toBe(join(base, 'checkout', '.trunkline'));
  });

  it('returns a directory below the system directory when Postgres cannot enter the checkout', () => {
    const chosen = choose(stranger, null);
    expect(chosen).toMatch(new RegExp(`^${join(base, 'system')}/checkout-[0-9a-f]{8}$`));
    expect(existsSync(join(base, 'checkout', '.trunkline'))).toBe(false);
  });

  it('throws when Postgres cannot enter the directory that was asked for', () => {
    expect(() => choose(stranger, join(base, 'checkout', 'data'))).toThrow(`cannot enter ${join(base, 'checkout')} (`);
  });
});

const other = { uid: 60_999, gid: 60_999 };
const isRoot = process.geteuid?.() === 0;
const onlyRoot = 'root alone may give directories away';
let givenBase = '';

beforeEach(() => (givenBase = mkdtempSync(join(tmpdir(), 'trunkline-give-'))));
afterEach(() => rmSync(givenBase, { recursive: true, force: true }));

describe('giveDirectory', () => {
  it('makes a directory that only its owner can enter', async () => {
    await giveDirectory(join(givenBase, 'a', 'b'), null);
    expect(statSync(join(givenBase, 'a', 'b')).mode & 0o777).toBe(0o700);
  });

  it('gives everything in it, links themselves and not what they name', async ({ skip }) => {
    if (!isRoot) skip(onlyRoot);
    const [given, outside] = [join(givenBase, 'given'), join(givenBase, 'outside')];
    mkdirSync(join(given, 'deep'), { recursive: true });
    writeFileSync(join(given, 'deep', 'file'), '');
    linkSync(join(given, 'deep', 'file'), join(given, 'deep', 'same'));
    writeFileSync(outside, '');
    symlinkSync(outside, join(given, 'link'));
    symlinkSync(givenBase, join(given, 'deep', 'up'));
    await giveDirectory(given, other);
    for (const path of ['.', 'deep', 'deep/file', 'deep/same', 'link', 'deep/up']) {
      expect([path, lstatSync(join(given, path)).uid]).toEqual([path, other.uid]);
    }
    expect([statSync(outside).uid, statSync(givenBase).uid]).toEqual([0, 0]);
  });

  it('goes on where a start was interrupted, and refuses the directory of a third user', async ({ skip }) => {
    if (!isRoot) skip(onlyRoot);
    mkdirSync(join(givenBase, 'given', 'deep'), { recursive: true });
    await giveDirectory(join(givenBase, 'given', 'deep'), other);
    await giveDirectory(join(givenBase, 'given'), other);
    expect(statSync(join(givenBase, 'given')).uid).toBe(other.uid);
    await expect(giveDirectory(join(givenBase, 'given'), { uid: 60_998, gid: 60_998 })).rejects.toThrow(
      `belongs to user id ${other.uid}`,
    );
  });
});
