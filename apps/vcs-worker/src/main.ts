import { randomUUID } from 'node:crypto';
import { availableParallelism } from 'node:os';
import { encodeCallersChanged, encodeOperationEnded, lanes, subjects, workerInboxes } from '@trunkline/contracts';
import { pingDatabase, createSecretVault } from '@trunkline/db';
import {
  announceReady,
  connectBus,
  createCallMetrics,
  createLogger,
  DataClient,
  EndWatch,
  observeBus,
  observeReadiness,
  openTracing,
  readDataClientOptions,
  runMain,
  RunningWork,
  serveMetrics,
  serviceVersion,
  sendsTraces,
  stopOnSignal,
  takeOverConsole,
} from '@trunkline/runtime';
import { setTextEncodings } from '@trunkline/runtime/text';
import { startRepositoryService, type RepositoryService } from './repository-service.ts';
import { readWorkerConfig } from './config.ts';
import { serveArrivals } from './copies/serve-arrivals.ts';
import { serveSnapshots } from './storage/snapshots/serve-snapshots.ts';
import { startDataPort, type DataPort } from './serve/data-port.ts';
import { type Connections, openWorkerPools, transactOn } from './connections.ts';
import { armCrashPoint } from './crash-points.ts';
import { createFailureMetrics } from './serve/health/failure-metrics.ts';
import { observeChildren, observeStorages } from './serve/health/storage-metrics.ts';
import { createWaitMetric, observeDatabase, observeTransactions } from './serve/health/database-metrics.ts';
import { observeFetches } from './vcs-http/fetches/fetch-counts.ts';
import { createReadiness, publishState } from './serve/health/process-state.ts';
import { prepareDatabase } from './serve/prepare-database.ts';
import { findEnded, operationEndedWaiter } from './jobs/operations/operation-end.ts';
import { laneSizes, observeSlots } from './serve/admission/lane-sizes.ts';
import { createLaneSlots } from './serve/admission/lane-slots.ts';
import { WriteTransactions } from './serve/admission/write-transactions.ts';
import { startResponder } from './serve/nats/responder.ts';
import { observeCloneCache } from './cache/vcs-answers/open-clone-cache.ts';
import type { Tools } from './worker-tools.ts';

const cores = availableParallelism();
const sizes = laneSizes(cores);
/** Part of the time for a stop after which operations that still run are released for another worker. */
const handOverPart = 1 / 3;

type Config = ReturnType<typeof readWorkerConfig>;

/** Creates the tools that every handler may use. */
function createTools(config: Config, { vault, bus, logger }: Connections): Tools {
  return {
    vault,
    logger,
    feedSettings: {
      siteName: config.TRUNKLINE_SITE_NAME,
      itemsMax: config.TRUNKLINE_RSS_ITEMS,
      includeDiff: config.TRUNKLINE_RSS_INCLUDE_DIFF,
      cutOffLimit: config.TRUNKLINE_RSS_CUT_OFF_LIMIT,
    },
    sshEnabled: config.TRUNKLINE_SSH_DIR !== null,
    announceCallersChanged: (userId) => bus.publish(subjects.callersChanged, encodeCallersChanged(userId)),
    announceCancelled: () => bus.publish(subjects.operationCancelled),
    announceEnd: ({ id, repositoryId, sourceRepositoryId }) =>
      bus.publish(subjects.operationEnded, encodeOperationEnded({ operationId: id, repositoryId, sourceRepositoryId })),
    wakeSweepers: () => bus.publish(subjects.operationReleased),
    trashDays: config.TRUNKLINE_TRASH_DAYS,
    backgroundAfterMs: config.TRUNKLINE_FORK_WAIT * 1_000,
  };
}

/** Registers the metrics of the part of a worker that has repository tools. */
function observeRepositoryService({ tools }: RepositoryService, { worker, pools, metrics }: Connections): void {
  const { registry } = metrics;
  observeStorages(registry, tools.storages);
  observeChildren(registry, tools.children);
  observeCloneCache(registry, tools.cloneCache);
  observeFetches(registry, tools.fetchCounts);
  observeDatabase(registry, { db: pools.db.reads, worker });
  metrics.observeCache('node_listings', () => tools.contentCaches.nodeListings.figures);
  metrics.observeCache('small_files', () => tools.contentCaches.smallFiles.figures);
  metrics.observeCache('path_histories', () => tools.contentCaches.pathHistories.figures);
  metrics.observeCache('annotations', () => tools.contentCaches.annotations.figures);
  metrics.observeCache('last_changes', () => tools.lastChanges.figures);
  metrics.observeCache('references', () => tools.contentCaches.refs.figures);
  metrics.observeCache('feeds', () => tools.feeds.figures);
  metrics.observeCache('replies', () => tools.replyCache.figures);
}

async function startServing(
  config: Config,
  tools: Tools,
  { repositoryService, dataPort }: { repositoryService: RepositoryService | null; dataPort: DataPort },
  connections: Connections,
) {
  const { worker, pools, transactions, stopping, bus, vault, logger, metrics } = connections;
  const { reads, heartbeats } = pools.db;
  const transferMs = config.TRUNKLINE_TRANSFER_TIMEOUT * 1_000;
  // A push may take as long to be applied as to arrive, and waits for its repository in between.
  const keptMsMax = 2 * transferMs + config.TRUNKLINE_PUSH_WAIT_SECONDS * 1_000;
  const served = config.TRUNKLINE_LANES.map((lane) => ({
    lane,
    slots: createLaneSlots(sizes[lane].slots, sizes[lane]),
    timeLimitMs: lane === 'transfer' ? transferMs : lanes[lane].timeoutMs,
    keptMsMax,
  }));
  observeSlots(metrics.registry, served);
  observeBus(metrics.registry, bus);
  observeTransactions(metrics.registry, transactions);
  if (repositoryService) observeRepositoryService(repositoryService, connections);
  const environment = {
    tools,
    db: reads,
    transactions,
    repositoryService,
    dataPort,
    waitForOperationEnd: connections.waitForOperationEnd,
    stopping: stopping.signal,
  };
  const responder = startResponder({
    worker,
    bus,
    environment,
    storages: repositoryService?.tools.storages.names ?? [],
    lanes: served,
    metrics,
    logger,
    calls: connections.running.calls,
    tracing: connections.tracing,
  });
  const missing = createReadiness({
    // Uses the heartbeats' connection, so that the ping does not queue behind calls.
    pingDatabase: () => pingDatabase(heartbeats),
    bus,
    unsubscribedLanes: () => responder.unsubscribedLanes(),
    hasDataPort: () => dataPort.isListening,
    isStopping: () => stopping.signal.aborted,
  });
  observeReadiness(metrics.registry, missing);
  const metricsServer = await serveMetrics({
    registry: metrics.registry,
    host: config.TRUNKLINE_METRICS_HOST,
    port: config.TRUNKLINE_METRICS_PORT,
    missing,
    logger,
  });
  const treeTools = repositoryService && { ...repositoryService.tools, bus, vault, offer: dataPort.offer, logger };
  const arrivals =
    repositoryService && treeTools && serveArrivals({ ...treeTools, arrivals: repositoryService.arrivals });
  const snapshots = treeTools && serveSnapshots({ ...treeTools, db: reads });
  const drain = async (msMax: number) => {
    stopping.abort();
    const callsEnded = Promise.all([responder.drain(msMax), arrivals?.drain(), snapshots?.drain()]);
    await Promise.all([callsEnded, dataPort.stop(msMax, callsEnded)]);
  };
  return { drain, metricsServer, served };
}

async function main(): Promise<void> {
  const config = readWorkerConfig();
  setTextEncodings(config.TRUNKLINE_TEXT_ENCODINGS);
  armCrashPoint(config.crashPoint);
  const logger = createLogger({ role: 'vcs-worker', level: config.TRUNKLINE_LOG_LEVEL });
  takeOverConsole(logger);
  const worker = randomUUID();
  const name = `vcs-worker ${worker}`;

  const vault = createSecretVault(config.TRUNKLINE_SECRET, config.TRUNKLINE_OLD_SECRETS);
  const dataClient = new DataClient({ ...(await readDataClientOptions(config)), vault });
  const poolSizes = { reads: config.TRUNKLINE_READ_CONNECTIONS, writes: config.TRUNKLINE_WRITE_CONNECTIONS };
  const pools = openWorkerPools(config.TRUNKLINE_DATABASE_URL, name, poolSizes);
  const storages = await prepareDatabase(config, { pools, vault, logger });
  const metrics = createCallMetrics('vcs-worker');
  const stopping = new AbortController();
  const transactions = new WriteTransactions({
    transact: transactOn(pools.db.writes),
    pool: pools.db.writes,
    connections: poolSizes.writes,
    recordWait: createWaitMetric(metrics.registry),
    stopping: stopping.signal,
  });
  const identity = { id: worker, role: 'vcs-worker', version: await serviceVersion() } as const;
  const tracing = await openTracing({ isOn: sendsTraces(config), identity, logger });
  const bus = await connectBus({ url: config.TRUNKLINE_NATS_URL, name, inboxPrefix: workerInboxes, logger });
  const failures = createFailureMetrics(metrics.registry);
  const endWatch = new EndWatch({
    bus,
    findEnded: (watched) => findEnded(pools.db.reads, watched),
    // A call has read the operation's state before it waits: the first look-up finds an end that came in between.
    firstLookUpMs: 500,
    logger,
  });
  stopping.signal.addEventListener('abort', () => endWatch.stop(), { once: true });
  const waitForOperationEnd = operationEndedWaiter(endWatch);
  const running: Connections['running'] = { calls: new RunningWork(), operations: new RunningWork() };
  const connections = {
    worker,
    pools,
    transactions,
    stopping,
    bus,
    dataClient,
    vault,
    logger,
    metrics,
    failures,
    waitForOperationEnd,
    running,
    tracing,
  };
  const tools = createTools(config, connections);
  const repositoryService =
    storages.length > 0 ? await startRepositoryService(config, storages, tools, connections) : null;
  const dataPort = await startDataPort(config, connections);
  const { drain, metricsServer, served } = await startServing(
    config,
    tools,
    { repositoryService, dataPort },
    connections,
  );
  publishState(connections, { identity, lanes: served, repositoryService });

  const stopMsMax = config.TRUNKLINE_STOP_SECONDS * 1_000;
  const stop = async () => {
    // A long fetch does not delay a stop.
    const handOver = setTimeout(() => void repositoryService?.releaseLeases(), stopMsMax * handOverPart);
    await Promise.all([drain(stopMsMax), repositoryService?.stopSweeper()]);
    clearTimeout(handOver);
    await repositoryService?.releaseLeases();
    await repositoryService?.engine.idle();
    await bus.close();
    dataClient.close();
    await repositoryService?.close();
    await metricsServer.close();
    await Promise.all([pools.close(), tracing?.stop()]);
  };
  stopOnSignal(logger, stop, stopMsMax);
  // A gateway may have cached the first administrator's key as unknown.
  tools.announceCallersChanged(null);
  announceReady({ metricsPort: metricsServer.port });
  logger.info({ worker, lanes: config.TRUNKLINE_LANES }, 'serving');
}

await runMain(main);
