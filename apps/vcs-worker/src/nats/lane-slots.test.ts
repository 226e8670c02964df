import { describe, expect, it } from 'vitest';
import { createLaneSlots } from './lane-slots.ts';

describe('createLaneSlots', () => {
  it('refuses at once when every slot is taken', () => {
    const slots = createLaneSlots(1);
    const first = slots.tryTake();
    expect(slots.tryTake()).toBeNull();
    first?.release();
    expect(slots.busy).toBe(0);
    expect(slots.tryTake()).not.toBeNull();
  });

  it('a slot given back twice counts once', () => {
    const slots = createLaneSlots(2);
    const [first, second] = [slots.tryTake(), slots.tryTake()];
    first?.release();
    first?.release();
    expect(slots.busy).toBe(1);
    second?.release();
    expect(slots.busy).toBe(0);
  });

  it('a slot is kept for work that goes on after the answer', async () => {
    const slots = createLaneSlots(1);
    let end = () => {};
    const work = new Promise<void>((_resolve, reject) => (end = () => reject(new Error('late'))));
    const slot = slots.tryTake();
    slot?.keepFor(work);
    slot?.release();
    expect(slots.tryTake()).toBeNull();
    end();
    await expect(work).rejects.toThrow('late');
    expect(slots.tryTake()).not.toBeNull();
  });

  it('those who wait for their place again get it in order, before new calls', async () => {
    const slots = createLaneSlots(1);
    const parked = slots.tryTake();
    parked?.release();
    const running = slots.tryTake();
    const regained = parked?.regain(60_000);
    running?.release();
    expect(slots.tryTake()).toBeNull();
    expect(await regained).toBe(true);
    expect(slots.busy).toBe(1);
    parked?.release();
    expect(slots.busy).toBe(0);
  });

  it('who waits too long gets no place, and keeps none from others', async () => {
    const slots = createLaneSlots(1);
    const parked = slots.tryTake();
    parked?.release();
    const running = slots.tryTake();
    expect(await parked?.regain(1)).toBe(false);
    parked?.release();
    expect(slots.busy).toBe(1);
    running?.release();
    expect(slots.busy).toBe(0);
    expect(await parked?.regain(1)).toBe(true);
  });
});
