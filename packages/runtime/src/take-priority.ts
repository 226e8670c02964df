import { preferSession } from './concurrency/prefer-session.ts';
import type { Logger } from './logger.ts';

/** Gives this process the priority of its settings, before it starts anything; a warning says where that cannot be. */
export function takePriority(config: { readonly TRUNKLINE_SESSION_PRIORITY: number }, logger: Logger): void {
  const { TRUNKLINE_SESSION_PRIORITY: steps } = config;
  if (steps === 0 || preferSession(steps)) return;
  logger.warn(
    { steps },
    'the priority of the session cannot be changed: no CAP_SYS_NICE, or sessions are not scheduled',
  );
}
