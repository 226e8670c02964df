import { randomUUID } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { encodeOperationEnded, lanes, subjects } from '@trunkline/contracts';
import { pingDatabase, createSecretVault, type SecretVault } from '@trunkline/db';
import {
  announceReady,
  connectBus,
  createCallMetrics,
  createLogger,
  EndWatch,
  runMain,
  serveMetrics,
  stopOnSignal,
  type Bus,
  type CallMetrics,
  type Logger,
} from '@trunkline/runtime';
import { readWorkerConfig } from './config.ts';
import { armCrashPoint } from './crash-points.ts';
import { openWorkerPools, transactOn, type WorkerPools } from './database-pools.ts';
import { RepositoryFeeds } from './feed/repository-feeds.ts';
import { createFailureMetrics, observeStorage, type FailureMetrics } from './health/health-metrics.ts';
import { createReadiness } from './health/readiness.ts';
import { watchStorage } from './health/storage-health.ts';
import { prepareDatabase } from './instance/prepare-database.ts';
import { createResealer } from './instance/resealer.ts';
import { beginAnew, extendLeases, releaseLeases } from './operations/operation-store.ts';
import { createOperationEngine, type OperationEngine } from './operations/operation-engine.ts';
import { startLeaseKeeper } from './operations/lease-keeper.ts';
import { findEnded } from './operations/operation-end-store.ts';
import { operationEndedWaiter } from './operations/operation-ended-waiter.ts';
import { createRetention } from './operations/retention.ts';
import { startSweeper } from './operations/sweeper.ts';
import { laneSizes } from './admission/lane-sizes.ts';
import { createLaneSlots } from './admission/lane-slots.ts';
import { WriteTransactions } from './admission/write-transactions.ts';
import { observeSlots } from './admission/slot-metrics.ts';
import { startResponder } from './nats/responder.ts';
import { adoptRunner } from './runners/adopt-runner.ts';
import { createRunner } from './runners/create-runner.ts';
import { deleteRunner } from './runners/delete-runner.ts';
import { forkRunner } from './runners/fork-runner.ts';
import { pullRunner } from './runners/pull-runner.ts';
import type { Tools } from './methods/context.ts';
import { SmallFiles } from './repo/small-files.ts';
import { openStorage } from './storage/storage.ts';
import { createVcs } from './vcs/create-vcs.ts';
import { startEgressGuard } from './vcs/egress/egress-guard.ts';
import { NodeListingCache } from './vcs/node-listing-cache.ts';
import { defaultChildMemory } from './vcs/process/default-child-memory.ts';
import { makeRuntimeDir } from './vcs/process/runtime-dir.ts';

const cores = availableParallelism();
const sizes = laneSizes(cores);
const handOverAfterMs = 5_000;
const remoteCheckTimeoutMs = 15_000;
/** Time over which the rate of a remote is measured. */
const remoteRateWindowMs = 60_000;
/** Time by which fetches end before their calls' time limit, so that callers get the reason; at most half the limit. */
const transferMarginMs = 2_000;

type Config = ReturnType<typeof readWorkerConfig>;

interface Connections {
  readonly pools: WorkerPools;
  readonly vault: SecretVault;
  readonly logger: Logger;
  readonly worker: string;
  readonly transactions: WriteTransactions;
  readonly stopping: AbortController;
  readonly bus: Bus;
  readonly metrics: CallMetrics;
  readonly failures: FailureMetrics;
}

/** Opens the tools through which handlers and runners reach repository bytes. */
async function openTools(config: Config, storageId: string, { vault, bus, logger, failures }: Connections) {
  const sshDir = config.TRUNKLINE_SSH_DIR;
  const egress = await startEgressGuard({
    allowedRemotes: config.TRUNKLINE_ALLOWED_REMOTES,
    rateLimit: { bytesPerSecondMin: config.TRUNKLINE_REMOTE_RATE_MIN, windowMs: remoteRateWindowMs },
  });
  const runtimeDir = await makeRuntimeDir();
  const transferMs = config.TRUNKLINE_TRANSFER_TIMEOUT * 1_000;
  const vcs = await createVcs({
    gitCommand: config.TRUNKLINE_GIT_COMMAND,
    hgCommand: config.TRUNKLINE_HG_COMMAND,
    bzip2Command: config.TRUNKLINE_BZIP2_COMMAND,
    runtimeDir,
    egress,
    sshDir,
    fetchTimeoutMs: Math.max(transferMs - transferMarginMs, transferMs / 2),
    checkTimeoutMs: remoteCheckTimeoutMs,
    commandTimeoutMs: lanes.storage.timeoutMs,
    hgServers: cores,
    importBytesMax: config.TRUNKLINE_IMPORT_BYTES_MAX,
    childMemoryBytesMax: config.TRUNKLINE_CHILD_MEMORY_BYTES || defaultChildMemory(),
  });
  const tools: Tools = {
    vault,
    storage: await openStorage(config.TRUNKLINE_STORAGE_ROOT, storageId),
    storageWatch: watchStorage({
      root: config.TRUNKLINE_STORAGE_ROOT,
      id: storageId,
      freeBytesMin: config.TRUNKLINE_STORAGE_FREE_BYTES_MIN,
      probeEveryMs: config.TRUNKLINE_STORAGE_PROBE_SECONDS * 1_000,
      logger,
    }),
    backends: vcs.backends,
    isShortOfMemory: vcs.isShortOfMemory,
    logger,
    noteUnreadable: ({ id, type }) => {
      logger.warn({ repositoryId: id, type }, 'repository cannot be read');
      failures.repositoryUnreadable(type);
    },
    nodeListingCache: new NodeListingCache(config.TRUNKLINE_NODE_CACHE_BYTES),
    smallFiles: new SmallFiles(),
    feeds: new RepositoryFeeds({
      siteName: config.TRUNKLINE_SITE_NAME,
      itemsMax: config.TRUNKLINE_RSS_ITEMS,
      includeDiff: config.TRUNKLINE_RSS_INCLUDE_DIFF,
      cutOffLimit: config.TRUNKLINE_RSS_CUT_OFF_LIMIT,
    }),
    sshEnabled: sshDir !== null,
    announceCallersChanged: () => bus.publish(subjects.callersChanged),
    announceCancelled: () => bus.publish(subjects.operationCancelled),
    wakeSweepers: () => bus.publish(subjects.operationReleased),
    trashDays: config.TRUNKLINE_TRASH_DAYS,
    forkWaitMs: config.TRUNKLINE_FORK_WAIT * 1_000,
  };
  const close = async () => {
    await vcs.close();
    await egress.close();
    await rm(runtimeDir, { recursive: true, force: true });
  };
  return { tools, close };
}

function startOperations(config: Config, tools: Tools, connections: Connections) {
  const { worker, pools, transactions, bus, vault, logger, failures } = connections;
  const { reads, writes, heartbeats } = pools.db;
  const leaseSeconds = config.TRUNKLINE_LEASE_SECONDS;
  const announceRelease = () => bus.publish(subjects.operationReleased);
  const leases = startLeaseKeeper({
    extendLeases: (held) => extendLeases(heartbeats, held, worker, leaseSeconds),
    releaseLeases: (ids) => releaseLeases(heartbeats, ids, worker),
    leaseSeconds,
    logger,
    announceRelease,
  });
  const runnerTools = { ...tools, db: reads, transactions, worker };
  const building = createRunner(runnerTools);
  const engine = createOperationEngine({
    worker,
    leaseSeconds,
    leases,
    beginAnew: (operation) => beginAnew(writes, operation, worker, leaseSeconds),
    fenceAttempts: (operationId, attempt) => tools.storage.fenceAttempts(operationId, attempt),
    runners: {
      adopt: adoptRunner(runnerTools),
      create: building,
      import: building,
      fork: forkRunner(runnerTools),
      pull: pullRunner(runnerTools),
      delete: deleteRunner(runnerTools),
    },
    logger,
    noteFailure: failures.operationFailed,
    announceEnd: ({ id, repositoryId, sourceRepositoryId }) =>
      bus.publish(subjects.operationEnded, encodeOperationEnded({ operationId: id, repositoryId, sourceRepositoryId })),
  });
  const sweeper = startSweeper({
    db: writes,
    worker,
    leaseSeconds,
    engine,
    storage: tools.storage,
    storageWatch: tools.storageWatch,
    trashDays: config.TRUNKLINE_TRASH_DAYS,
    retention: createRetention({
      db: writes,
      operationDays: config.TRUNKLINE_JOURNAL_DAYS,
      auditDays: config.TRUNKLINE_AUDIT_DAYS,
      logger,
    }),
    reseal: createResealer({ db: writes, vault, logger }),
    // A worker for the metadata lane alone takes over no operations.
    slots: config.TRUNKLINE_LANES.some((lane) => lane !== 'metadata') ? sizes.transfer.slots : 0,
    logger,
  });
  bus.listen(subjects.operationReleased, () => sweeper.wake());
  // The answer to a heartbeat shows which of this worker's operations are cancelled.
  bus.listen(subjects.operationCancelled, () => leases.heartbeat());
  return { engine, leases, sweeper };
}

async function startServing(config: Config, tools: Tools, engine: OperationEngine, connections: Connections) {
  const { worker, pools, transactions, stopping, bus, logger, metrics } = connections;
  const { reads, heartbeats } = pools.db;
  const served = config.TRUNKLINE_LANES.map((lane) => ({
    lane,
    slots: createLaneSlots(sizes[lane].slots, sizes[lane]),
    timeLimitMs: lane === 'transfer' ? config.TRUNKLINE_TRANSFER_TIMEOUT * 1_000 : lanes[lane].timeoutMs,
  }));
  observeSlots(metrics.registry, served);
  observeStorage(metrics.registry, tools.storageWatch);
  const endWatch = new EndWatch({
    bus,
    findEnded: (watched) => findEnded(reads, watched),
    // A call has read the operation's state before it waits: the first look-up finds an end that came in between.
    firstLookUpMs: 500,
    logger,
  });
  const environment = {
    tools,
    db: reads,
    transactions,
    engine,
    waitForOperationEnd: operationEndedWaiter(endWatch),
    stopping: stopping.signal,
  };
  const responder = startResponder({ worker, bus, environment, lanes: served, metrics, logger });
  const metricsServer = await serveMetrics({
    registry: metrics.registry,
    host: config.TRUNKLINE_METRICS_HOST,
    port: config.TRUNKLINE_METRICS_PORT,
    missing: createReadiness({
      // Uses the heartbeats' connection, so that the ping does not queue behind calls.
      pingDatabase: () => pingDatabase(heartbeats),
      bus,
      unsubscribedLanes: () => responder.unsubscribedLanes(),
      isStopping: () => stopping.signal.aborted,
    }),
  });
  const drain = () => {
    stopping.abort();
    endWatch.stop();
    return responder.drain();
  };
  return { drain, metricsServer };
}

async function main(): Promise<void> {
  const config = readWorkerConfig();
  armCrashPoint(config.crashPoint);
  const logger = createLogger({ role: 'vcs-worker', level: config.TRUNKLINE_LOG_LEVEL });
  const worker = randomUUID();
  const name = `vcs-worker ${worker}`;

  const vault = createSecretVault(config.TRUNKLINE_SECRET, config.TRUNKLINE_OLD_SECRETS);
  const poolSizes = { reads: config.TRUNKLINE_READ_CONNECTIONS, writes: config.TRUNKLINE_WRITE_CONNECTIONS };
  const pools = openWorkerPools(config.TRUNKLINE_DATABASE_URL, name, poolSizes);
  const { storageId } = await prepareDatabase(config, { pools, vault, logger });
  const stopping = new AbortController();
  const transactions = new WriteTransactions({
    transact: transactOn(pools.db.writes),
    connections: poolSizes.writes,
    stopping: stopping.signal,
  });
  const bus = await connectBus({ url: config.TRUNKLINE_NATS_URL, name, logger });
  const metrics = createCallMetrics();
  const failures = createFailureMetrics(metrics.registry);
  const connections = { worker, pools, transactions, stopping, bus, vault, logger, metrics, failures };
  const { tools, close: closeTools } = await openTools(config, storageId, connections);
  const { engine, leases, sweeper } = startOperations(config, tools, connections);
  const { drain, metricsServer } = await startServing(config, tools, engine, connections);

  stopOnSignal(logger, async () => {
    // A long fetch does not delay a stop: operations that still run after this time are released for another worker.
    const handOver = setTimeout(() => void leases.stop(), handOverAfterMs);
    await Promise.all([drain(), sweeper.stop()]);
    clearTimeout(handOver);
    await leases.stop();
    await engine.idle();
    await bus.close();
    await closeTools();
    await metricsServer.close();
    await pools.close();
  });
  // A gateway may have cached the first administrator's key as unknown.
  tools.announceCallersChanged();
  announceReady({ metricsPort: metricsServer.port });
  logger.info({ worker, lanes: config.TRUNKLINE_LANES }, 'serving');
}

await runMain(main);
