import { laneNames, subjects } from '@trunkline/contracts';
import type { Bus } from '@trunkline/runtime';
import type { Clock } from '../clock.ts';

const freshMs = 500;
const pingTimeoutMs = 300;
const databaseTimeoutMs = 1_000;

/** The names of what is missing to answer calls; none when ready. */
export type Readiness = () => Promise<readonly string[]>;

interface ReadinessTools {
  readonly askDatabase: () => Promise<unknown>;
  readonly bus: Pick<Bus, 'connected' | 'request'>;
  readonly clock: Clock;
}

async function works(check: Promise<unknown>): Promise<boolean> {
  return check.then(
    () => true,
    () => false,
  );
}

async function late(ms: number): Promise<never> {
  return new Promise((_, reject) => {
    setTimeout(() => reject(new Error('too late')), ms).unref();
  });
}

/** Asks database, bus and every lane at once; many callers share one answer, for half a second. */
export function createReadiness({ askDatabase, bus, clock }: ReadinessTools): Readiness {
  const look = async (): Promise<readonly string[]> => {
    const checks: readonly (readonly [string, Promise<boolean>])[] = [
      ['database', works(Promise.race([askDatabase(), late(databaseTimeoutMs)]))],
      ['bus', Promise.resolve(bus.connected)],
      ...laneNames.map(
        (lane) => [`lane ${lane}`, works(bus.request(subjects.ping(lane), new Uint8Array(), pingTimeoutMs))] as const,
      ),
    ];
    const found = await Promise.all(checks.map(async ([name, check]) => ((await check) ? [] : [name])));
    return found.flat();
  };

  let last: { readonly at: number; readonly missing: Promise<readonly string[]> } | undefined;
  return () => {
    if (!last || clock.now() - last.at >= freshMs) last = { at: clock.now(), missing: look() };
    return last.missing;
  };
}
