import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { neededTools } from './test-tools.mjs';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const namesFor = (...args: string[]) =>
  neededTools({ args, root, tier: 'all' }).map(([variable]) => String(variable).replace('TRUNKLINE_TEST_', ''));

it('all tests, and those of pages, need a browser, an LDAP server and unzip', () => {
  for (const args of [[], ['--project', 'web'], ['tests/web/files.test.ts']]) {
    expect(namesFor(...args)).toEqual(['CHROMIUM', 'SLAPD', 'UNZIP']);
  }
});

it('tests of security need unzip alone, and others nothing', () => {
  expect(namesFor('--project', 'security')).toEqual(['UNZIP']);
  expect(namesFor('tests/security/archives.long.test.ts')).toEqual(['UNZIP']);
  expect(namesFor('--project', 'security', 'tests/security/keys.long.test.ts')).toEqual([]);
  expect(namesFor('--project', 'api')).toEqual([]);
});
