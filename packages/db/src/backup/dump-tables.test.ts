import { expect, it } from 'vitest';
import { inNeededOrder } from './dump-tables.ts';

it('lists each table after those to which its rows refer', () => {
  const tables = [
    { name: 'grants', needs: ['users', 'repositories'] },
    { name: 'repositories', needs: ['names', 'users'] },
    { name: 'names', needs: [] },
    { name: 'users', needs: [] },
  ];
  expect(inNeededOrder(tables).map(({ name }) => name)).toEqual(['names', 'users', 'repositories', 'grants']);
});

it('refuses tables that refer to each other', () => {
  const tables = [
    { name: 'one', needs: ['other'] },
    { name: 'other', needs: ['one'] },
  ];
  expect(() => inNeededOrder(tables)).toThrow('refer to each other');
});
