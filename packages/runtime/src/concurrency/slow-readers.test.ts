import { describe, expect, it } from 'vitest';
import { SlowReaders } from './slow-readers.ts';

const stepMs = 25_600;

function setUp(keptMax: number) {
  const clock = { now: 0 };
  const readers = new SlowReaders({ size: 4 * keptMax, quota: 4 }, () => clock.now);
  const ended: string[] = [];
  const add = (caller: string, name: string, key: string | null = null) => {
    const reader = readers.add({ caller, key, end: () => ended.push(name) });
    reader.sent(1_000);
    return reader;
  };
  return { clock, readers, ended, add };
}

describe('SlowReaders', () => {
  it('E6 ends slow readers beyond the share while others wait, the slowest of the caller with most of them', () => {
    const { clock, readers, ended, add } = setUp(1);
    add('few', 'f1');
    clock.now += 1;
    add('many', 'm1');
    add('many', 'm2');
    clock.now = stepMs + 2;
    readers.endOne('third');
    readers.endOne('third');
    readers.endOne('third');
    expect(ended).toEqual(['m1', 'f1']);
  });

  it('E6 ends no reader of the caller who waits, and none at 10 KB a second', () => {
    const { clock, readers, ended, add } = setUp(0);
    add('waits', 'own');
    const reader = add('other', 'quick');
    for (let step = 0; step < 4; step += 1) {
      clock.now += stepMs - 1;
      readers.endOne('waits');
      reader.wanted();
      reader.sent(256 * 1_024);
    }
    clock.now += 2 * stepMs - 1;
    reader.wanted();
    reader.sent(512 * 1_024);
    clock.now += 2 * stepMs - 1;
    readers.endOne('waits');
    expect(ended).toEqual([]);
    clock.now += 2;
    readers.endOne('waits');
    expect(ended).toEqual(['quick']);
  });

  it('E6 ends slow readers of one repository for a call that waits for it', () => {
    const { clock, readers, ended, add } = setUp(9);
    add('a', 'a cold', 'cold');
    add('a', 'a hot', 'hot');
    clock.now = stepMs + 1;
    readers.endOne('c', 'hot');
    expect(ended).toEqual([]);
    add('b', 'b hot', 'hot');
    clock.now *= 3;
    readers.endOne('c', 'hot');
    readers.endOne('c', 'hot');
    expect(ended).toEqual(['a hot']);
  });

  it('E6 counts what each reader holds', () => {
    const clock = { now: 0 };
    const readers = new SlowReaders({ size: 400 }, () => clock.now);
    const ended: string[] = [];
    const add = (caller: string, held: number) => readers.add({ caller, held, end: () => ended.push(caller) }).sent(1);
    add('large', 90);
    add('small', 5);
    add('small', 5);
    clock.now = stepMs + 1;
    expect(readers.endOne('third')).toBe(false);
    add('small', 1);
    clock.now *= 3;
    expect([readers.endOne('third'), readers.endOne('third'), ended]).toEqual([true, false, ['large']]);
  });

  it('ends none while the tool produces the next piece, or after the slot was released', () => {
    const { clock, readers, ended, add } = setUp(0);
    add('one', 'waiting for the tool').wanted();
    add('one', 'released').remove();
    clock.now = 1e9;
    readers.endOne('two');
    expect(ended).toEqual([]);
  });
});
