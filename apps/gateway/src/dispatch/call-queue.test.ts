import { setTimeout as wait } from 'node:timers/promises';
import { BusyError } from '@trunkline/contracts';
import { describe, expect, it } from 'vitest';
import { createCallQueue } from './call-queue.ts';

/** Lines of two at once and three who wait; how long one may wait is for the test to say. */
function setUp() {
  const alarms: (() => void)[] = [];
  const enqueue = createCallQueue(
    { inFlightMax: 2, waitingMax: 3 },
    { sleep: () => new Promise((resolve) => alarms.push(resolve)) },
  );
  const begun: string[] = [];
  const ends = new Map<string, (error?: Error) => void>();
  const call = (line: string, name: string) =>
    enqueue(line, 1, () => {
      begun.push(name);
      return new Promise<string>((resolve, reject) => {
        ends.set(name, (error) => (error ? reject(error) : resolve(name)));
      });
    });
  return { call, begun, end: (name: string, error?: Error) => ends.get(name)?.(error), alarms };
}

describe('createLines', () => {
  it('E6 lets so many of one line go on, and others besides', async () => {
    const { call, begun, end } = setUp();
    for (const name of ['a', 'b', 'c', 'd']) void call('hot', name);
    void call('cold', 'other');
    await wait();
    expect(begun).toEqual(['a', 'b', 'other']);
    end('b');
    await wait();
    expect(begun).toEqual(['a', 'b', 'other', 'c']);
  });

  it('lets the next come in order, also after one that failed', async () => {
    const { call, begun, end } = setUp();
    const first = call('hot', 'a');
    for (const name of ['b', 'c', 'd']) void call('hot', name);
    await wait();
    end('a', new Error('no'));
    await expect(first).rejects.toThrow('no');
    end('b');
    await wait();
    expect(begun).toEqual(['a', 'b', 'c', 'd']);
  });

  it('E6 refuses who would be one too many, and who has waited too long', async () => {
    const { call, begun, end, alarms } = setUp();
    for (const name of ['a', 'b']) void call('hot', name);
    const waiting = ['c', 'd', 'e'].map((name) => call('hot', name));
    await expect(call('hot', 'f')).rejects.toThrow(BusyError);
    alarms[1]?.();
    await expect(waiting[1]).rejects.toThrow(BusyError);
    end('a');
    end('b');
    await wait();
    expect(begun).toEqual(['a', 'b', 'c', 'e']);
    alarms[0]?.();
    end('c');
    expect(await waiting[0]).toBe('c');
  });

  it('remembers no line that has ended', async () => {
    const { call, begun, end } = setUp();
    for (let round = 0; round < 3; round += 1) {
      const calls = [call('hot', `a${round}`), call('hot', `b${round}`)];
      await wait();
      end(`a${round}`);
      end(`b${round}`);
      await Promise.all(calls);
    }
    expect(begun).toHaveLength(6);
  });
});
