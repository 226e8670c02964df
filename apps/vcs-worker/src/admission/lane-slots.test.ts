import { BusyError } from '@trunkline/contracts';
import { describe, expect, it } from 'vitest';
import { createLaneSlots } from './lane-slots.ts';

describe('createLaneSlots', () => {
  it('refuses at once when every slot is taken', () => {
    const slots = createLaneSlots(1);
    const first = slots.tryTake();
    expect(slots.tryTake()).toBeNull();
    first?.end();
    expect(slots.busy).toBe(0);
    expect(slots.tryTake()).not.toBeNull();
  });

  it('a slot given back twice counts once', () => {
    const slots = createLaneSlots(2);
    const [first, second] = [slots.tryTake(), slots.tryTake()];
    first?.end();
    first?.end();
    expect(slots.busy).toBe(1);
    second?.end();
    expect(slots.busy).toBe(0);
  });

  it('a slot is kept for work that goes on after the answer', async () => {
    const slots = createLaneSlots(1);
    let end = () => {};
    const work = new Promise<void>((_resolve, reject) => (end = () => reject(new Error('late'))));
    const slot = slots.tryTake();
    slot?.keepFor(work);
    slot?.end();
    expect(slots.tryTake()).toBeNull();
    end();
    await expect(work).rejects.toThrow('late');
    expect(slots.tryTake()).not.toBeNull();
  });

  it('those who wait for their place again get it in order, before new calls', async () => {
    const slots = createLaneSlots(1);
    const parked = slots.tryTake();
    parked?.end();
    const running = slots.tryTake();
    const regained = parked?.reacquire(60_000);
    running?.end();
    expect(slots.tryTake()).toBeNull();
    expect(await regained).toBe(true);
    expect(slots.busy).toBe(1);
    parked?.end();
    expect(slots.busy).toBe(0);
  });

  it('who waits too long gets no place, and keeps none from others', async () => {
    const slots = createLaneSlots(1);
    const parked = slots.tryTake();
    parked?.end();
    const running = slots.tryTake();
    expect(await parked?.reacquire(1)).toBe(false);
    parked?.end();
    expect(slots.busy).toBe(1);
    running?.end();
    expect(slots.busy).toBe(0);
    expect(await parked?.reacquire(1)).toBe(true);
  });

  it('E6 of one repository only its share is taken, and the rest of the lane is for others', () => {
    const slots = createLaneSlots(4, { quota: 2 });
    const hot = [slots.tryTake(), slots.tryTake(), slots.tryTake()];
    expect(hot.map((slot) => slot?.claim('hot'))).toEqual([true, true, false]);
    hot[2]?.end();
    const other = slots.tryTake();
    expect(other?.claim('other')).toBe(true);
    expect(other?.claim('other')).toBe(true);
    hot[0]?.end();
    const next = slots.tryTake();
    expect(next?.claim('hot')).toBe(true);
    for (const slot of [...hot, other, next]) slot?.end();
    expect(slots.busy).toBe(0);
  });

  it('E6 a place that is claimed for another one no longer counts for the first', () => {
    const slots = createLaneSlots(4, { quota: 1 });
    const slot = slots.tryTake();
    expect(slot?.claim('renamed')).toBe(true);
    expect(slot?.claim('in its place')).toBe(true);
    expect(slots.tryTake()?.claim('in its place')).toBe(false);
    slot?.end();
    expect(slots.tryTake()?.claim('in its place')).toBe(true);
    expect(slots.tryTake()?.claim('renamed')).toBe(true);
  });

  it('E6 who waits for his share is passed by whoever does not, and comes in when it is free', async () => {
    const slots = createLaneSlots(2, { quota: 1 });
    const [first, second] = [slots.tryTake(), slots.tryTake()];
    expect([first?.claim('hot'), second?.claim('hot')]).toEqual([true, false]);
    second?.release('hot');
    const waiting = second?.reacquire(60_000);
    const [other, more] = [slots.tryTake(), slots.tryTake()];
    expect([other?.claim('other'), more]).toEqual([true, null]);
    other?.end();
    expect(slots.busy).toBe(1);
    first?.end();
    expect(await waiting).toBe(true);
    expect(slots.tryTake()?.claim('hot')).toBe(false);
    second?.end();
    expect(slots.busy).toBe(1);
  });

  it('E6 the share is held for work that goes on after the answer', async () => {
    const slots = createLaneSlots(2, { quota: 1 });
    let end = () => {};
    const work = new Promise<void>((resolve) => (end = resolve));
    const slot = slots.tryTake();
    slot?.claim('hot');
    slot?.keepFor(work);
    slot?.end();
    expect(slots.tryTake()?.claim('hot')).toBe(false);
    end();
    await work;
    expect(slots.tryTake()?.claim('hot')).toBe(true);
  });

  it('E6 only so many wait for the same, and only so many in all; who ends makes room', () => {
    const slots = createLaneSlots(9, { waitingForOneMax: 2, waitingMax: 3 });
    const parked = (name: string) => {
      const slot = slots.tryTake();
      slot?.release(name);
      return slot;
    };
    const first = parked('hot');
    parked('hot');
    expect(() => parked('hot')).toThrow(BusyError);
    parked('other');
    expect(() => parked('third')).toThrow(BusyError);
    first?.release('hot');
    first?.end();
    expect(() => parked('hot')).not.toThrow();
    expect(() => parked('hot')).toThrow(BusyError);
  });

  it('who has its place again waits no more', async () => {
    const slots = createLaneSlots(1, { waitingForOneMax: 1 });
    const slot = slots.tryTake();
    slot?.release('hot');
    expect(await slot?.reacquire(60_000)).toBe(true);
    slot?.release('hot');
    expect(() => slots.tryTake()?.release('hot')).toThrow(BusyError);
  });
});
