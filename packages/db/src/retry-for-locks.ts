import { setTimeout as sleep } from 'node:timers/promises';
import type postgres from 'postgres';
import { lockStart } from './lock-start.ts';
import { isLockTimeout } from './pg-error.ts';

/**
 * Longer than the `deadlock_timeout` of Postgres (1 s), after which an autovacuum makes way for a change of the schema, and
 * shorter than the limit of reads (2 s), which wait behind this lock.
 */
const waitMs = 1_500;
/** What waits behind the locks of a failed attempt goes on meanwhile. */
const pauseMs = 1_000;
/** For how long attempts are begun. */
const attemptsMs = 120_000;

/**
 * Runs `act`, whose transactions change the schema beside running processes, until it gets its locks: each wait for one
 * ends after a second and a half, since statements of others wait behind it, and a transaction that did not get a lock, or
 * that was ended as one of a deadlock, is made anew. Throws, with a sentence for the operator, after two minutes.
 */
export async function retryForLocks(client: postgres.Sql, act: () => Promise<void>): Promise<void> {
  const end = performance.now() + attemptsMs;
  for (;;) {
    try {
      // The driver opens another connection when the server has closed this one during the pause.
      await lockStart(client);
      await client`select set_config('lock_timeout', ${String(waitMs)}, false)`;
      return await act();
    } catch (error) {
      if (!isLockTimeout(error)) throw error;
      if (performance.now() > end) {
        const text =
          `The migration got no lock on its tables for ${attemptsMs / 1_000} seconds: look for long transactions in ` +
          'pg_stat_activity, and start again (docs/running/upgrading.md)';
        throw new Error(text, { cause: error });
      }
      await sleep(pauseMs);
    }
  }
}
