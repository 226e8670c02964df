import { describe, expect, it } from 'vitest';
import { admin, makeUser } from '../harness/shared-cluster.ts';

describe('test', () => {
  it('returns any JSON value to an administrator', async () => {
    for (const value of [null, 'é\u2028', 12.5, [1, { a: [] }], { nested: { deep: true } }]) {
      expect(await admin.result('test', { args: value })).toEqual(value);
    }
  });

  it('reports a missing argument', async () => {
    expect(await admin.error('test', {})).toBe('Missing non optional `args` arg in JSON DATA');
  });

  it('is refused without permission', async () => {
    const { client } = await makeUser();
    expect(await client.error('test', { args: 1 })).toBe('Access was denied to this resource.');
  });
});
