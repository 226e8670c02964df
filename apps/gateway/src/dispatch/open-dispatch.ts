import { operations, type Database } from '@trunkline/db';
import { EndWatch, type RunningCalls, type Watched } from '@trunkline/runtime';
import { and, inArray, ne } from 'drizzle-orm';
import { systemClock as clock } from '../clock.ts';
import type { GatewayConfig } from '../config.ts';
import type { Connections } from '../connections.ts';
import { createOpenAnswer } from './answer.ts';
import type { Dispatch } from './command.ts';
import { createDispatchMetrics } from './dispatch-metrics.ts';
import { createDispatch } from './dispatch.ts';
import { toEveryStorage } from './every-storage.ts';
import { watchReads } from './read-liveness.ts';
import type { RepositoryHints } from './repository-hints.ts';
import { locateRepository, type StorageDirectory } from './storage-directory.ts';
import { createStorageRoute, type RoutingTools } from './storage-route.ts';

/** Finds the watched operations that have ended; one not recorded yet has not. Gateways watch no repositories. */
async function findEndedOperations(db: Database, watched: readonly Watched[]): Promise<readonly Watched[]> {
  const ids = watched.flatMap((one) => (one.kind === 'operation' ? [one.id] : []));
  const rows = await db
    .select({ id: operations.id })
    .from(operations)
    .where(and(inArray(operations.id, ids), ne(operations.state, 'running')));
  return rows.map(({ id }) => ({ kind: 'operation', id }));
}

function watchEnds({ db, otherQueries, bus, logger }: Connections): EndWatch {
  return new EndWatch({
    bus,
    findEnded: (watched) => otherQueries(() => findEndedOperations(db, watched)),
    // A watch begins in the same tick as its call is sent and so receives the event of its end: the query may wait.
    firstLookUpMs: 10_000,
    logger,
  });
}

interface Seen {
  readonly directory: StorageDirectory;
  readonly hints: RepositoryHints;
  /** The calls that are not answered yet. */
  readonly calls: RunningCalls;
}

/** Opens the way of calls to the workers, over the connections of this gateway. */
export function openDispatch(
  config: GatewayConfig,
  connections: Connections,
  { directory, hints, calls }: Seen,
): Dispatch {
  const { db, otherQueries, bus, vault, logger, metrics, dataClient, spans } = connections;
  const routing: RoutingTools = {
    directory,
    hints,
    locate: (ref) => otherQueries(() => locateRepository(db, ref)),
    random: Math.random,
    freeBytesMin: config.TRUNKLINE_STORAGE_FREE_BYTES_MIN,
  };
  const toOneStorage = createDispatch({
    bus,
    openAnswer: createOpenAnswer(dataClient),
    vault,
    transferTimeoutMs: config.TRUNKLINE_TRANSFER_TIMEOUT * 1_000,
    endWatch: watchEnds(connections),
    clock,
    routeOf: (command) => createStorageRoute(routing, command),
    hints,
    watchRead: watchReads({ bus, clock, logger }),
    metrics: createDispatchMetrics(metrics.registry),
    ...(spans && { traceRequest: spans.traceRequest }),
  });
  const dispatch = toEveryStorage(toOneStorage, directory);
  return (command) => {
    const { requestId: id, method, lane } = command;
    return calls.during({ id, method: method.name, lane }, () => dispatch(command));
  };
}
