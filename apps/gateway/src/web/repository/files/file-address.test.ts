import { describe, expect, it } from 'vitest';
import { fileAddress, isAddressable, isAddressableEntry, within } from './file-address.ts';

const root = { repository: 'group/name', revision: 'feature/x', path: '' };

describe('fileAddress', () => {
  it('escapes a slash of the revision, but not those of the path', () => {
    expect(fileAddress('files', root)).toBe('/group/name/files/feature%2Fx');
    expect(fileAddress('raw', within(within(root, 'a b'), '?#%.txt'))).toBe(
      '/group/name/raw/feature%2Fx/a%20b/%3F%23%25.txt',
    );
  });
});

describe('isAddressable', () => {
  it.each([
    ['<"\u202e ü', true],
    ['bad\ufffd', false],
    ['bell\u0007', false],
  ])('%j: %s', (name, expected) => {
    expect(isAddressable(name)).toBe(expected);
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
    ['bad\ufffd', false],
  ])('%j: %s', (name, expected) => {
    expect(isAddressableEntry(name)).toBe(expected);
  });
});
