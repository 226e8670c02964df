import { BusyError } from '@trunkline/contracts';
import { describe, expect, it, vi } from 'vitest';
import { createLaneSlots } from './lane-slots.ts';

describe('createLaneSlots', () => {
  it('returns no slot, without a wait, when every slot is taken', () => {
    const slots = createLaneSlots(1);
    const first = slots.tryTake('caller');
    expect(slots.tryTake('caller')).toBeNull();
    first?.end();
    expect(slots.held).toBe(0);
    expect(slots.tryTake('caller')).not.toBeNull();
  });

  it('a slot given back twice counts once', () => {
    const slots = createLaneSlots(2);
    const [first, second] = [slots.tryTake('caller'), slots.tryTake('caller')];
    first?.end();
    first?.end();
    expect(slots.held).toBe(1);
    second?.end();
    expect(slots.held).toBe(0);
  });

  it('a slot is kept for work that goes on after the answer', async () => {
    const slots = createLaneSlots(1);
    let end = () => {};
    const work = new Promise<void>((_resolve, reject) => (end = () => reject(new Error('late'))));
    const slot = slots.tryTake('caller');
    slot?.keepFor(work);
    slot?.end();
    expect(slots.tryTake('caller')).toBeNull();
    end();
    await expect(work).rejects.toThrow('late');
    expect(slots.tryTake('caller')).not.toBeNull();
  });

  it('tells when the slot has been given back, after the work for which it is kept', async () => {
    const slots = createLaneSlots(2);
    const ended: string[] = [];
    slots.tryTake('caller')?.end(() => ended.push('brief'));
    const slot = slots.tryTake('caller');
    let end = () => {};
    slot?.keepFor(new Promise<void>((resolve) => (end = resolve)));
    slot?.end(() => ended.push(`kept ${slots.held}`));
    await Promise.resolve();
    expect(ended).toEqual(['brief']);
    end();
    await new Promise(setImmediate);
    expect(ended).toEqual(['brief', 'kept 0']);
  });

  it('E6 slots that are kept after the answer have a quota, of which one caller never has the last', async () => {
    const slots = createLaneSlots(9, { keptQuota: { slots: 3, ofCaller: 2 } });
    const claim = (caller: string) => {
      const slot = slots.tryTake(caller);
      return { slot, mayKeep: slot?.claimToKeep() };
    };
    const [first, second] = [claim('greedy'), claim('greedy')];
    expect([first.mayKeep, second.mayKeep, first.slot?.claimToKeep()]).toEqual([true, true, true]);
    expect([claim('greedy'), claim('modest'), claim('other')].map(({ mayKeep }) => mayKeep)).toEqual([
      false,
      true,
      false,
    ]);
    let end = () => {};
    first.slot?.keepFor(new Promise<void>((resolve) => (end = resolve)));
    first.slot?.end();
    expect(claim('other').mayKeep).toBe(false);
    end();
    await new Promise(setImmediate);
    expect(claim('other').mayKeep).toBe(true);
    // A call that waits holds no slot that could be kept.
    second.slot?.releaseToWait('repository');
    expect(claim('third').mayKeep).toBe(true);
  });

  it('calls that wait for a slot again get it in order, before new calls', async () => {
    const slots = createLaneSlots(1);
    const released = slots.tryTake('caller');
    released?.end();
    const running = slots.tryTake('caller');
    const reacquired = released?.reacquire(60_000);
    running?.end();
    expect(slots.tryTake('caller')).toBeNull();
    expect(await reacquired).toBe(true);
    expect(slots.held).toBe(1);
    released?.end();
    expect(slots.held).toBe(0);
  });

  it('a call that waits too long gets no slot, and keeps none from others', async () => {
    const slots = createLaneSlots(1);
    const released = slots.tryTake('caller');
    released?.end();
    const running = slots.tryTake('caller');
    expect(await released?.reacquire(1)).toBe(false);
    released?.end();
    expect(slots.held).toBe(1);
    running?.end();
    expect(slots.held).toBe(0);
    expect(await released?.reacquire(1)).toBe(true);
  });

  it('a call that may do without a slot takes none until it asks, and counts as waiting', async () => {
    const slots = createLaneSlots(1, { waitingPerKeyMax: 2, waitingMax: 2 });
    const taken = slots.tryTake('other');
    const [first, second] = [slots.takeLater('caller'), slots.takeLater('caller')];
    expect([slots.held, slots.isOverloaded]).toEqual([1, true]);
    expect(() => slots.takeLater('caller')).toThrow(BusyError);
    first.end();
    expect(slots.isOverloaded).toBe(false);
    taken?.end();
    await second.take();
    await second.take();
    expect([slots.held, slots.isOverloaded]).toEqual([1, false]);
    second.end();
    expect(slots.held).toBe(0);
  });

  it('a call that came without a slot and gets none in time is refused, and leaves nothing behind', async () => {
    const slots = createLaneSlots(1, { waitMsMax: 1, waitingMax: 1 });
    const taken = slots.tryTake('other');
    const late = slots.takeLater('caller');
    await expect(late.take()).rejects.toThrow(BusyError);
    late.end();
    expect([slots.held, slots.isOverloaded]).toEqual([1, false]);
    taken?.end();
    expect(slots.held).toBe(0);
  });

  it('E6 one repository takes its quota of slots, and the rest of the lane is for others', () => {
    const slots = createLaneSlots(4, { quota: 2 });
    const hot = [slots.tryTake('caller'), slots.tryTake('caller'), slots.tryTake('caller')];
    expect(hot.map((slot) => slot?.claim('hot'))).toEqual([true, true, false]);
    hot[2]?.end();
    const other = slots.tryTake('caller');
    expect(other?.claim('other')).toBe(true);
    expect(other?.claim('other')).toBe(true);
    hot[0]?.end();
    const next = slots.tryTake('caller');
    expect(next?.claim('hot')).toBe(true);
    for (const slot of [...hot, other, next]) slot?.end();
    expect(slots.held).toBe(0);
  });

  it('E6 a slot that is claimed for another repository no longer counts for the first', () => {
    const slots = createLaneSlots(4, { quota: 1 });
    const slot = slots.tryTake('caller');
    expect(slot?.claim('renamed')).toBe(true);
    expect(slot?.claim('new name')).toBe(true);
    expect(slots.tryTake('caller')?.claim('new name')).toBe(false);
    slot?.end();
    expect(slots.tryTake('caller')?.claim('new name')).toBe(true);
    expect(slots.tryTake('caller')?.claim('renamed')).toBe(true);
  });

  it('E6 a call that waits for its quota lets other calls pass, and is admitted when the quota is free', async () => {
    const slots = createLaneSlots(2, { quota: 1 });
    const [first, second] = [slots.tryTake('caller'), slots.tryTake('caller')];
    expect([first?.claim('hot'), second?.claim('hot')]).toEqual([true, false]);
    second?.releaseToWait('hot');
    const waiting = second?.reacquire(60_000);
    const [other, more] = [slots.tryTake('caller'), slots.tryTake('caller')];
    expect([other?.claim('other'), more]).toEqual([true, null]);
    other?.end();
    expect(slots.held).toBe(1);
    first?.end();
    expect(await waiting).toBe(true);
    expect(slots.tryTake('caller')?.claim('hot')).toBe(false);
    second?.end();
    expect(slots.held).toBe(1);
  });

  it('E6 the quota is held for work that goes on after the answer', async () => {
    const slots = createLaneSlots(2, { quota: 1 });
    let end = () => {};
    const work = new Promise<void>((resolve) => (end = resolve));
    const slot = slots.tryTake('caller');
    slot?.claim('hot');
    slot?.keepFor(work);
    slot?.end();
    expect(slots.tryTake('caller')?.claim('hot')).toBe(false);
    end();
    await work;
    expect(slots.tryTake('caller')?.claim('hot')).toBe(true);
  });

  it('E6 waiting calls are limited for one key and in all, and the end of one lets another wait', () => {
    const slots = createLaneSlots(9, { waitingPerKeyMax: 2, waitingMax: 3 });
    const wait = (caller: string, name: string) => {
      const slot = slots.tryTake(caller);
      slot?.releaseToWait(name);
      return slot;
    };
    const first = wait('a', 'hot');
    wait('b', 'hot');
    expect(() => wait('c', 'hot')).toThrow(BusyError);
    wait('c', 'other');
    expect(() => wait('d', 'third')).toThrow(BusyError);
    first?.releaseToWait('hot');
    first?.end();
    expect(() => wait('d', 'hot')).not.toThrow();
    expect(() => wait('e', 'hot')).toThrow(BusyError);
  });

  it('E6 the calls of one caller that wait are limited, whatever they wait for', () => {
    const slots = createLaneSlots(9, { waitingPerCallerMax: 2, waitingMax: 4 });
    const wait = (caller: string, key: string) => {
      const slot = slots.tryTake(caller);
      slot?.releaseToWait(key);
      return slot;
    };
    const first = wait('greedy', 'one');
    wait('greedy', 'two');
    expect(() => wait('greedy', 'three')).toThrow(BusyError);
    expect(() => wait('modest', 'three')).not.toThrow();
    first?.end();
    expect(() => wait('greedy', 'three')).not.toThrow();
    // A caller that waits already leaves the last one to others.
    expect(() => wait('modest', 'four')).toThrow(BusyError);
    expect(() => wait('other', 'four')).not.toThrow();
  });

  it('a call that has its slot again no longer counts as waiting', async () => {
    const slots = createLaneSlots(1, { waitingPerKeyMax: 1 });
    const slot = slots.tryTake('caller');
    slot?.releaseToWait('hot');
    expect(await slot?.reacquire(60_000)).toBe(true);
    slot?.releaseToWait('hot');
    expect(() => slots.tryTake('caller')?.releaseToWait('hot')).toThrow(BusyError);
  });

  it('E6 new calls that find no slot take turns by caller, and are refused when they have waited too long', async () => {
    const slots = createLaneSlots(1, { waitMsMax: 60_000, waitingPerKeyMax: 2, waitingMax: 3 });
    const running = slots.tryTake('greedy');
    const taken: string[] = [];
    const take = async (caller: string) => {
      const slot = await slots.take(caller);
      taken.push(caller);
      slot.end();
    };
    const waiting = ['greedy', 'greedy', 'modest'].map(take);
    expect(slots.isOverloaded).toBe(true);
    await expect(take('greedy')).rejects.toThrow(BusyError);
    await expect(take('other')).rejects.toThrow(BusyError);
    running?.end();
    await Promise.all(waiting);
    expect(taken).toEqual(['greedy', 'modest', 'greedy']);
    expect(slots.held).toBe(0);

    const brief = createLaneSlots(1, { waitMsMax: 1 });
    brief.tryTake('greedy');
    await expect(brief.take('modest')).rejects.toThrow(BusyError);
    expect(brief.held).toBe(1);
  });

  it('E6 a caller gets all slots of a lane that are free when they are held briefly, and half of them otherwise', () => {
    const brief = createLaneSlots(4);
    const long = createLaneSlots(4, { callerQuota: 2 });
    const take = (slots: typeof brief) => ['a', 'a', 'a', 'a', 'b', 'b', 'c'].map((caller) => slots.tryTake(caller));
    expect(take(brief).map(Boolean)).toEqual([true, true, true, true, false, false, false]);
    const held = take(long);
    expect(held.map(Boolean)).toEqual([true, true, false, false, true, false, true]);
    held[6]?.end();
    held[0]?.end();
    expect([long.tryTake('b'), long.tryTake('b')].map(Boolean)).toEqual([true, false]);
  });

  it('E6 a call that waits has another caller who reads slowly ended, and gets the slot', async () => {
    const now = vi.spyOn(performance, 'now').mockReturnValue(0);
    const slots = createLaneSlots(2, { callerQuota: 1, waitMsMax: 60_000 });
    const slow = slots.tryTake('slow');
    slow?.beginReading(() => slow.end()).sent(1);
    const other = slots.tryTake('other');
    now.mockReturnValue(26_000);
    const waiting = slots.take('third');
    expect(await waiting.then((slot) => slot.end())).toBeUndefined();
    other?.end();
    expect(slots.held).toBe(0);
    now.mockRestore();
  });
});
