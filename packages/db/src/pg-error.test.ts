import { describe, expect, it } from 'vitest';
import { databaseFailure, isLockTimeout, lockedRow } from './pg-error.ts';

const failed = (code: string) => new Error('Failed query', { cause: Object.assign(new Error('x'), { code }) });

describe('databaseFailure', () => {
  it.each([
    ['a statement took too long', '57014'],
    ['a lock was not granted in time', '55P03'],
    ['two transactions were deadlocked', '40P01'],
    ['the transaction was idle for too long', '25P03'],
    ['the server is starting', '57P03'],
    ['the server takes no changes', '25006'],
    ['the connection was refused', 'ECONNREFUSED'],
    ['the connection timed out', 'CONNECT_TIMEOUT'],
  ])('E12 %s: the statement did nothing', (_what, code) => {
    expect(databaseFailure(failed(code))).toBe('unreachable');
  });

  it('E12 a statement was prepared before the schema changed: the statement did nothing', () => {
    const cause = Object.assign(new Error('x'), { code: '0A000', routine: 'RevalidateCachedQuery' });
    expect(databaseFailure(new Error('Failed query', { cause }))).toBe('unreachable');
  });

  it.each(['EHOSTUNREACH', 'ENETUNREACH', 'ETIMEDOUT'])(
    'E12 a new connection failed by %s: nothing was sent',
    (code) => {
      const cause = Object.assign(new Error('x'), { code, syscall: 'connect' });
      expect(databaseFailure(new Error('Failed query', { cause }))).toBe('unreachable');
    },
  );

  it.each(['CONNECTION_CLOSED', 'ECONNRESET', 'EHOSTUNREACH', 'ENETUNREACH', '57P01', '08006'])(
    'E12 a connection was lost by %s: the outcome is unknown',
    (code) => {
      expect(databaseFailure(failed(code))).toBe('lost');
    },
  );

  it.each(['23505', '22001', '42601', '0A000'])('%s is no failure of the connection', (code) => {
    expect(databaseFailure(failed(code))).toBeUndefined();
  });
});

describe('lockedRow', () => {
  const locked = (where?: string) =>
    new Error('Failed query', { cause: Object.assign(new Error('x'), { code: '55P03', where }) });

  it('is the row for which the statement waited, also inside a check of a foreign key', () => {
    const where = 'while locking tuple (12,3) in relation "users"\nSQL statement "SELECT 1 FROM ONLY x"';
    expect(lockedRow(locked(where))).toEqual({ relation: 'users', position: '12,3' });
  });

  it('is unknown when the server does not tell, or the statement failed otherwise', () => {
    expect(lockedRow(locked())).toBeUndefined();
    expect(lockedRow(failed('23505'))).toBeUndefined();
    expect(lockedRow(new Error('while locking tuple (12,3) in relation "users"'))).toBeUndefined();
  });

  it.each([
    ['55P03', true],
    ['40P01', true],
    ['57014', false],
    ['23505', false],
  ])('a failure with the code %s is a lock that was not granted: %s', (code, expected) => {
    expect(isLockTimeout(failed(code))).toBe(expected);
  });
});
