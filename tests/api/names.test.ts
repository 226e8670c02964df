import { describe, expect, it } from 'vitest';
import { admin, sql, uniqueName } from '../harness/shared-cluster.ts';

const refused = [
  '../x',
  'a//b',
  '/abs',
  'abs/',
  '.',
  '..',
  'a/../b',
  'a/./b',
  ' x',
  'x ',
  'x.',
  'a\\b',
  '%2e%2e',
  '.hg',
  '.git',
  'x.git',
  'x.hg',
  'a/x.git/b',
  'rm__20260101_x',
  'a/rm__20260101_101010_000001__x',
  '-x',
  'a/-x',
  '42',
  'a/42',
  '٤٢',
  '½x',
  'a²',
  'Ⅷ',
  '_admin',
  '_admin/x',
  '_7',
  '_7/x',
  'a b',
  'a\tb',
  'a\nb',
  'a\u0000b'.replace('\0', '\u0001'),
  'a\u202eb',
  'a;b',
  'a|b',
  'a`b',
  'a$b',
  "a'b",
  'a"b',
  'a<b',
  'a>b',
  'a*b',
  'a?b',
  'a:b',
  'a&b',
  'a#b',
  'a@b',
  'a!b',
  'a+b',
  'a=b',
  'a,b',
  'a(b',
  'a[b',
  'a{b',
  'a~b',
  'a^b',
  'e\u0301',
  'x'.repeat(256),
  '',
  '\u{1f600}',
  'a\u200bb',
  'a\u00a0b',
];

const accepted = [
  'a.b',
  'A',
  'ünï',
  '日本',
  'x_y-z',
  'a1',
  '1a',
  '٤a',
  '_x',
  'x_7',
  'lock',
  'x.lock',
  'feed',
  'raw',
  'error',
  'a..b',
  'gitx',
];

describe('repository names', () => {
  it.each(refused)('C1 refuses %j', async (name) => {
    const text = await admin.error('create_repo', { repo_name: name });
    expect(text.startsWith(`failed to create repository \`${name}\`: `)).toBe(true);
    expect(await sql`select path from names where path = ${name}`).toHaveLength(0);
  });

  it.each(accepted)('accepts %j', async (segment) => {
    const name = `${uniqueName('names')}/${segment}`;
    await admin.result('create_repo', { repo_name: name });
    expect(await admin.result('get_repo', { repoid: name })).toMatchObject({ repo_name: name });
  });

  it('names differ by case, and B6 digits alone name an id', async () => {
    const name = uniqueName('Case');
    await admin.result('create_repo', { repo_name: name });
    await admin.result('create_repo', { repo_name: name.toLowerCase() });
    expect(await admin.error('create_repo', { repo_name: '4711' })).toMatch(/digits only/);
  });
});
