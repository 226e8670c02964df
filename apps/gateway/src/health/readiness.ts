import type { Lane } from '@trunkline/contracts';
import { createProbe, type Bus } from '@trunkline/runtime';
import type { Clock } from '../clock.ts';
import { findUnservedLanes } from './served-lanes.ts';

const freshMs = 500;
const timeoutMs = 1_000;

export interface Readiness {
  /** The dependencies that do not answer (`database`, `bus`, `lane metadata`); empty when the gateway is ready. */
  readonly missing: readonly string[];
  /** The lanes on which no worker answers; null when the bus does not answer, since the lanes are then unknown. */
  readonly unserved: readonly Lane[] | null;
}

interface ReadinessTools {
  readonly pingDatabase: () => Promise<unknown>;
  readonly bus: Pick<Bus, 'flush' | 'request'>;
  readonly clock: Clock;
}

/**
 * Creates a check of database, bus and every lane at once, whose result callers share for half a second. Of the lanes,
 * only an unserved `metadata` makes a gateway unready: the others are unserved for every gateway, and the rest works.
 */
export function createReadiness({ pingDatabase, bus, clock }: ReadinessTools): () => Promise<Readiness> {
  const database = createProbe(pingDatabase, timeoutMs);
  const connection = createProbe(() => bus.flush(), timeoutMs);
  const check = async (): Promise<Readiness> => {
    const [hasDatabase, hasBus, unserved] = await Promise.all([database(), connection(), findUnservedLanes(bus)]);
    const missing = hasDatabase ? [] : ['database'];
    if (!hasBus) return { missing: [...missing, 'bus'], unserved: null };
    return { missing: unserved.includes('metadata') ? [...missing, 'lane metadata'] : missing, unserved };
  };

  let last: { readonly at: number; readonly readiness: Promise<Readiness> } | undefined;
  return () => {
    if (!last || clock.now() - last.at >= freshMs) last = { at: clock.now(), readiness: check() };
    return last.readiness;
  };
}
