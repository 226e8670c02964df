import { getPriority, platform, setPriority } from 'node:os';

/** Nice value of a thread that computes beside the event loop. */
const nice = 10;

/**
 * Lowers the priority of the calling thread, so that the event loop of the process goes first. Linux has a priority for
 * each thread; elsewhere this would lower that of the whole process, and does nothing. In a process that was started with
 * a lower priority the thread keeps that one, which only root could raise.
 */
export function lowerThreadPriority(system = { getPriority, platform, setPriority }): void {
  if (system.platform() === 'linux' && system.getPriority() < nice) system.setPriority(0, nice);
}
