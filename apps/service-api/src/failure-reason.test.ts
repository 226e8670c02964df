import { expect, it } from 'vitest';
import { failureReason } from './failure-reason.ts';

it('names every address that was tried', () => {
  const refused = (address: string) => new Error(`connect ECONNREFUSED ${address}`);
  expect(failureReason(new AggregateError([refused('::1:80'), refused('127.0.0.1:80')]))).toBe(
    'connect ECONNREFUSED ::1:80, connect ECONNREFUSED 127.0.0.1:80',
  );
});

it('takes whatever was thrown', () => {
  expect(failureReason(new Error('socket hang up'))).toBe('socket hang up');
  expect(failureReason('text')).toBe('text');
});
