import { expect, it, vi } from 'vitest';
import { Listeners } from './listeners.ts';

it('a listener that throws keeps no other one from being called, and its error is logged', () => {
  const error = vi.fn();
  const listeners = new Listeners({ error });
  const called: string[] = [];
  listeners.add(() => {
    throw new Error('of a listener');
  });
  const forget = listeners.add(() => called.push('forgotten'));
  listeners.add(() => called.push('kept'));
  forget();
  listeners.tell();
  listeners.tell({ forgets: true });
  listeners.tell();
  expect(called).toEqual(['kept', 'kept']);
  expect(error).toHaveBeenCalledTimes(2);
});
