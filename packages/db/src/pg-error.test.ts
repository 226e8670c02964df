import { describe, expect, it } from 'vitest';
import { databaseAway, databaseFailure, isLockTimeout, lockedRow, missingDatabase } from './pg-error.ts';

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

const failure = (code: string, message = '') =>
  new Error('query', { cause: Object.assign(new Error(message), { code }) });

describe('E12 databaseAway', () => {
  it.each([
    ['57P03', 'the database system is shutting down', 'database (shutting down)'],
    ['57P03', 'the database system is starting up', 'database (starting up)'],
    ['57P03', 'the database system is in recovery mode', 'database (starting up)'],
    ['57P03', 'das Datenbanksystem startet', 'database (starting up or shutting down)'],
    ['25006', 'cannot execute UPDATE in a read-only transaction', 'database (read-only)'],
  ])('names what the server says itself: %s %s', (code, message, name) => {
    expect(databaseAway(failure(code, message))).toMatchObject({ name, isTold: true });
    expect(missingDatabase(failure(code, message))).toBe(name);
  });

  it.each(['ECONNREFUSED', 'CONNECT_TIMEOUT', 'CONNECTION_CLOSED', '57P01', '57P02', '08006'])(
    'tells a server that does not answer from one that says so: %s',
    (code) => {
      const away = { name: 'database', state: `does not answer (${code})`, isTold: false };
      expect(databaseAway(failure(code))).toEqual(away);
    },
  );

  it.each(['57014', '53300', '40P01', '28P01', '23505'])(
    'is not about %s, which is of a statement or a setting',
    (code) => {
      expect(databaseAway(failure(code))).toBeUndefined();
      expect(missingDatabase(failure(code))).toBe('database');
    },
  );
});
