import { expect, it } from 'vitest';
import { failureReason } from './client-error.ts';

it('returns the errors of all addresses that were tried', () => {
  const refused = (address: string) => new Error(`connect ECONNREFUSED ${address}`);
  expect(failureReason(new AggregateError([refused('::1:80'), refused('127.0.0.1:80')]))).toBe(
    'connect ECONNREFUSED ::1:80, connect ECONNREFUSED 127.0.0.1:80',
  );
});

it('returns the message of an error, and any other thrown value as text', () => {
  expect(failureReason(new Error('socket hang up'))).toBe('socket hang up');
  expect(failureReason('text')).toBe('text');
});
