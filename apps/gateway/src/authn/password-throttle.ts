import type { Clock } from '../clock.ts';
import { createLookUpThrottle } from './look-up-throttle.ts';

/**
 * Runs a change of the password by a session, delayed after wrong current passwords of the same session; throws the
 * error of the change, or BusyError. So a stolen session cannot be used to guess the password, and delays no other one.
 */
export type PasswordThrottle = (sessionId: number | undefined, change: () => Promise<unknown>) => Promise<void>;

const limits = { burst: 5, intervalMs: 1_000, waitMsMax: 5_000 };

export function createPasswordThrottle(clock: Clock): PasswordThrottle {
  const throttle = createLookUpThrottle(clock, limits);
  return async (sessionId, change) => {
    const tried = () =>
      change().then(
        () => null,
        (error: unknown) => error,
      );
    const failure = await throttle.run(`session ${sessionId}`, tried, (thrown) => thrown === null);
    if (failure !== null) throw failure;
  };
}
