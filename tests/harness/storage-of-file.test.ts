import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { storageOfFile } from './storage-of-file.ts';

const storages = ['default', 'second'];
const none = {};

it('is the same for one file in every directory, whatever the order of the storages is', () => {
  const storage = storageOfFile('/a/tests/api/lock.test.ts', storages, none);
  expect(storageOfFile('/b/tests/api/lock.test.ts', storages.toReversed(), none)).toBe(storage);
  expect(storages).toContain(storage);
});

it('is the only one where there is one, and that of the environment where it exists', () => {
  expect(storageOfFile('/a/lock.test.ts', ['default'], { TRUNKLINE_TEST_STORAGE: 'second' })).toBe('default');
  for (const storage of storages) {
    expect(storageOfFile('/a/lock.test.ts', storages, { TRUNKLINE_TEST_STORAGE: storage })).toBe(storage);
  }
});

it('is each of both for at least a third of the tests of methods', () => {
  const files = readdirSync(join(import.meta.dirname, '../api')).filter((file) => file.endsWith('.test.ts'));
  const onSecond = files.filter((file) => storageOfFile(file, storages, none) === 'second');
  expect(onSecond.length).toBeGreaterThan(files.length / 3);
  expect(onSecond.length).toBeLessThan((files.length * 2) / 3);
});
