import { describe, expect, it } from 'vitest';
import {
  changeAnchor,
  fileAddress,
  isAddressableEntry,
  isAddressablePath,
  linkedPath,
  within,
} from './file-address.ts';

const root = { repository: 'group/name', revision: 'feature/x', path: '' };

describe('fileAddress', () => {
  it('escapes a slash of the revision, but not those of the path', () => {
    expect(fileAddress('files', root)).toBe('/group/name/files/feature%2Fx');
    expect(fileAddress('raw', within(root, 'caf\ufffdE9'))).toBe('/group/name/raw/feature%2Fx/caf%E9');
    expect(fileAddress('raw', within(within(root, 'a b'), '?#%.txt'))).toBe(
      '/group/name/raw/feature%2Fx/a%20b/%3F%23%25.txt',
    );
  });
});

describe('isAddressableEntry', () => {
  it.each([
    ['a b', true],
    ['...', true],
    ['.x', true],
    ['', false],
    ['.', false],
    ['..', false],
    ['a/b', false],
    ['bad\ufffdFF\u0007', true],
    ['a\0', false],
  ])('%j: %s', (name, expected) => {
    expect(isAddressableEntry(name)).toBe(expected);
  });
});

it.each([
  ['', true],
  ['a/b c', true],
  ['a/../b', false],
  ['a//b', false],
])('the path %j can be in an address: %s', (path, expected) => {
  expect(isAddressablePath(path)).toBe(expected);
});

it('the anchor of a change can be in an address as it is, whatever the path', () => {
  const anchors = ['a', 'a b', 'caf\ufffdE9', '"#?%'].map(changeAnchor);
  expect(new Set(anchors).size).toBe(4);
  for (const anchor of anchors) expect(anchor).toMatch(/^change-[0-9a-f]{12}$/);
});

describe('linkedPath', () => {
  it.each([
    ['link', 'src/main.py', 'src/main.py'],
    ['a/b/link', '../c.txt', 'a/c.txt'],
    ['a/b/link', './/d/./e/', 'a/b/d/e'],
    ['a/link', '..', ''],
    ['a/link', '../../etc/passwd', null],
    ['a/link', '../x/../../y', null],
    ['link', '/etc/passwd', null],
    ['link', '', null],
    ['link', 'caf\ufffdE9', null],
  ])('of %s to %s is %j', (link, target, path) => {
    expect(linkedPath(link, target)).toBe(path);
  });
});
