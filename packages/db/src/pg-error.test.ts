import { describe, expect, it } from 'vitest';
import { databaseFailure } from './pg-error.ts';

const failed = (code: string) => new Error('Failed query', { cause: Object.assign(new Error('x'), { code }) });

describe('databaseFailure', () => {
  it.each([
    ['a statement took too long', '57014'],
    ['a lock was not to be had in time', '55P03'],
    ['two waited for each other', '40P01'],
    ['nothing happened in the transaction for too long', '25P03'],
    ['the server starts', '57P03'],
    ['nobody listens', 'ECONNREFUSED'],
    ['nobody answers', 'CONNECT_TIMEOUT'],
  ])('E12 %s: nothing was done', (_what, code) => {
    expect(databaseFailure(failed(code))).toBe('unreachable');
  });

  it('E12 a statement prepared before the schema changed: nothing was done', () => {
    const cause = Object.assign(new Error('x'), { code: '0A000', routine: 'RevalidateCachedQuery' });
    expect(databaseFailure(new Error('Failed query', { cause }))).toBe('unreachable');
  });

  it.each(['CONNECTION_CLOSED', 'ECONNRESET', '57P01', '08006'])(
    'E12 a connection lost by %s: nobody knows',
    (code) => {
      expect(databaseFailure(failed(code))).toBe('lost');
    },
  );

  it.each(['23505', '22001', '42601', '0A000'])('%s is no matter of the connection', (code) => {
    expect(databaseFailure(failed(code))).toBeUndefined();
  });
});
