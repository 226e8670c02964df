import { EventEmitter } from 'node:events';
import { subjects } from '@trunkline/contracts';
import type { Bus } from '@trunkline/runtime';

const lookAgainMs = 500;

/** Waits until some worker says that an operation ended, or for a while, since the word may be lost; no longer than asked. */
export function operationEndedWaiter(bus: Pick<Bus, 'listen'>): (msMax: number) => Promise<void> {
  const emitter = new EventEmitter().setMaxListeners(0);
  bus.listen(subjects.operationEnded, () => emitter.emit('ended'));
  return (msMax) =>
    new Promise<void>((resolve) => {
      const done = () => {
        clearTimeout(timer);
        emitter.off('ended', done);
        resolve();
      };
      const timer = setTimeout(done, Math.min(lookAgainMs, msMax));
      emitter.on('ended', done);
    });
}
