import type { Database, SecretVault } from '@trunkline/db';
import type { Bus, CallMetrics, DataClient, Logger, ProcessIdentity } from '@trunkline/runtime';
import type { Bulkhead, Transact } from './queries.ts';
import type { RequestSpans } from './http/request-spans.ts';

/** What a gateway is connected to, and what bounds the use of it. */
export interface Connections {
  readonly db: Database;
  /** Bounds the queries that identify callers. */
  readonly bulkhead: Bulkhead;
  /** Bounds all other queries that requests wait for, so that those cannot keep callers from being identified. */
  readonly otherQueries: Bulkhead;
  readonly transact: Transact;
  readonly bus: Bus;
  readonly vault: SecretVault;
  readonly logger: Logger;
  readonly metrics: CallMetrics;
  readonly dataClient: DataClient;
  readonly identity: ProcessIdentity;
  /** Null without a collector of traces. */
  readonly spans: RequestSpans | null;
}
