import { describe, expect, it } from 'vitest';
import { databaseAway, missingDatabase } from './database-away.ts';

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
