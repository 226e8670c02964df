import { platform, setPriority } from 'node:os';

/** Nice value of a thread that computes beside the event loop. */
const nice = 5;

/**
 * Lowers the priority of the calling thread, so that the event loop of the process goes first. Linux has a priority for
 * each thread; elsewhere this would lower that of the whole process, and does nothing.
 */
export function lowerThreadPriority(): void {
  if (platform() === 'linux') setPriority(0, nice);
}
