import { setImmediate as turn } from 'node:timers/promises';
import { BusyError } from '@trunkline/contracts';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createPasswordQueues } from './password-queues.ts';

const hangs = () => new Promise<never>(() => {});

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }));
afterEach(() => void vi.useRealTimers());

describe('createPasswordQueues', () => {
  it('B4 hashes of other addresses do not delay those of known ones', async () => {
    const { known, other } = createPasswordQueues();
    for (let address = 0; address < 12; address += 1)
      void other.run('hash', `192.0.2.${address}`, hangs).catch(() => {});
    expect(await known.run('hash', '198.51.100.1', async () => 'done')).toBe('done');
  });

  it('B4 twelve addresses with many guesses each let a new address have the thirteenth hash', async () => {
    const { other } = createPasswordQueues();
    const begun: string[] = [];
    const finish: (() => void)[] = [];
    const hash = (source: string) =>
      other.run('hash', source, () => {
        begun.push(source);
        return new Promise<void>((resolve) => finish.push(resolve));
      });
    const guesses = Array.from({ length: 12 * 20 }, (_, index) => hash(`guesser ${index % 12}`));
    const asked = hash('new');
    while (begun.at(-1) !== 'new') {
      finish.shift()?.();
      await turn();
    }
    expect(begun).toHaveLength(13);
    finish.shift()?.();
    await asked;
    void Promise.allSettled(guesses);
  });

  it('B4 refuses as busy a check whose turn does not come in three seconds', async () => {
    const { other } = createPasswordQueues();
    void other.run('hash', 'one', hangs);
    const waiting = other.run('hash', 'two', async () => 'done');
    const outcome = waiting.catch((error: unknown) => error);
    await vi.advanceTimersByTimeAsync(3_000);
    expect(await outcome).toBeInstanceOf(BusyError);
  });

  it('B4 while the LDAP server hangs, waits end in time, and hashes are not delayed', async () => {
    const { known } = createPasswordQueues();
    for (let bind = 0; bind < 4; bind += 1) void known.run('bind', 'one', hangs);
    const waiting = known.run('bind', 'one', async () => 'done');
    const outcome = waiting.catch((error: unknown) => error);
    expect(await known.run('hash', 'one', async () => 'done')).toBe('done');
    expect(await known.run('bind', 'two', async () => 'done')).toBe('done');
    await vi.advanceTimersByTimeAsync(5_000);
    expect(await outcome).toBeInstanceOf(BusyError);
  });
});
