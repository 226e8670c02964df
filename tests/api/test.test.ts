import { describe, expect, it } from 'vitest';
import { post } from '../harness/client.ts';
import { admin, cluster, makeUser } from '../harness/shared-cluster.ts';

describe('test', () => {
  it('returns any JSON value to an administrator', async () => {
    for (const value of [null, 'é\u2028', 12.5, [1, { a: [] }], { nested: { deep: true } }]) {
      expect(await admin.result('test', { args: value })).toEqual(value);
    }
  });

  it('returns numbers as they were written', async () => {
    const value = '[1.0,-0,12345678901234567890,1e400,{"a":1E+2}]';
    const body = `{"id":1,"api_key":"${admin.apiKey}","method":"test","args":{"args":${value}}}`;
    expect((await post(cluster.baseUrl, body)).text).toBe(`{"id":1,"result":${value},"error":null}`);
  });

  it('reports a missing argument', async () => {
    expect(await admin.error('test', {})).toBe('Missing non optional `args` arg in JSON DATA');
  });

  it('is refused without permission', async () => {
    const { client } = await makeUser();
    expect(await client.error('test', { args: 1 })).toBe('Access was denied to this resource.');
  });
});
