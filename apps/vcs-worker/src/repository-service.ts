import { rm } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { decodeOperationEnded, lanes, subjects } from '@trunkline/contracts';
import { drainJob } from './jobs/storage-jobs/drain-job.ts';
import { laneSizes } from './serve/admission/lane-sizes.ts';
import { StreamSlices } from './serve/admission/stream-slices.ts';
import type { readWorkerConfig } from './config.ts';
import type { Connections } from './connections.ts';
import { createArrivals, type Arrivals } from './copies/arrivals.ts';
import { copyHere, CopyStorages } from './copies/copy-here.ts';
import { createCopies } from './copies/create-copies.ts';
import { requestCopy } from './copies/request-copy.ts';
import { FetchCounts } from './vcs-http/fetches/fetch-counts.ts';
import { recordFetches } from './vcs-http/fetches/fetch-store.ts';
import { observeEgress } from './serve/health/storage-metrics.ts';
import { watchStorage } from './serve/health/storage-health.ts';
import type { ClaimedStorage } from './storage/claim-storages.ts';
import { createResealer } from './jobs/sweeps/resealer.ts';
import { maintenanceJob } from './jobs/storage-jobs/maintenance-job.ts';
import { createStoragePoller } from './jobs/storage-jobs/storage-poller.ts';
import { extendLeases, releaseLeases } from './jobs/operations/lease-store.ts';
import { beginAnew } from './jobs/operations/operation-store.ts';
import { createOperationEngine, type OperationEngine } from './jobs/operations/operation-engine.ts';
import { startLeaseKeeper } from './jobs/operations/lease-keeper.ts';
import { createRetention } from './jobs/sweeps/retention.ts';
import { startSweeper } from './jobs/sweeps/sweeper.ts';
import { createContentCaches } from './cache/content-caches.ts';
import { LastChangesCache } from './cache/last-changes-cache.ts';
import { GenerationCache } from './cache/generation-cache.ts';
import { ReplyCache } from './cache/reply-cache.ts';
import { RepositoryFeeds } from './domain/feed/repository-feed.ts';
import { verificationJob } from './jobs/storage-jobs/verification-job.ts';
import { operationRunners } from './jobs/runners/operation-runners.ts';
import { openStorage } from './storage/storage.ts';
import { createStorages, type ServedStorage } from './storage/storages.ts';
import type { Logger } from '@trunkline/runtime';
import { createVcs } from './vcs/create-vcs.ts';
import { startEgressGuard } from './vcs/egress/egress-guard.ts';
import { defaultChildMemory } from './vcs/process/memory-budget.ts';
import { makeRuntimeDir } from './vcs/process/runtime-dir.ts';
import { openCloneCache } from './cache/vcs-answers/open-clone-cache.ts';
import type { RepositoryTools, Tools } from './worker-tools.ts';

const cores = availableParallelism();
const sizes = laneSizes(cores);
const lastChangesBounds = { pageMsMax: 2_000, behindMsMax: 60_000, behindMax: cores };
const dayMs = 86_400_000;
const remoteCheckTimeoutMs = 15_000;
/** Time over which the rate of a remote is measured. */
const remoteRateWindowMs = 60_000;
/** How long counts of clones and fetches wait for rows that another worker changes. */
const recordFetchesMsMax = 5_000;
/** Time by which fetches end before their calls' time limit, so that callers get the reason; at most half the limit. */
const transferMarginMs = 2_000;

type Config = ReturnType<typeof readWorkerConfig>;

/** The part of a worker that reaches repository bytes; a worker for the lane `metadata` alone has none. */
export interface RepositoryService {
  readonly tools: RepositoryTools;
  readonly arrivals: Arrivals;
  readonly engine: OperationEngine;
  stopSweeper(): Promise<void>;
  /** Releases the leases of the operations that still run, for other workers. */
  releaseLeases(): Promise<void>;
  close(): Promise<void>;
}

async function openServed(config: Config, claimed: ClaimedStorage, logger: Logger): Promise<ServedStorage> {
  const watch = watchStorage({
    ...claimed,
    freeBytesMin: config.TRUNKLINE_STORAGE_FREE_BYTES_MIN,
    probeEveryMs: config.TRUNKLINE_STORAGE_PROBE_SECONDS * 1_000,
    logger,
  });
  return { storage: await openStorage(claimed), watch };
}

/** Opens the tools through which handlers and runners reach repository bytes. */
async function openRepositoryTools(
  config: Config,
  claimed: readonly ClaimedStorage[],
  { feedSettings }: Pick<Tools, 'feedSettings'>,
  { logger, failures, metrics, transactions }: Connections,
) {
  const sshDir = config.TRUNKLINE_SSH_DIR;
  const egress = await startEgressGuard({
    allowedRemotes: config.TRUNKLINE_ALLOWED_REMOTES,
    rateLimit: { bytesPerSecondMin: config.TRUNKLINE_REMOTE_RATE_MIN, windowMs: remoteRateWindowMs },
  });
  observeEgress(metrics.registry, egress);
  const runtimeDir = await makeRuntimeDir();
  const transferMs = config.TRUNKLINE_TRANSFER_TIMEOUT * 1_000;
  const cache = new GenerationCache(config.TRUNKLINE_CACHE_BYTES + config.TRUNKLINE_NODE_CACHE_BYTES);
  const vcs = await createVcs({
    cache,
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
    pushBytesMax: config.TRUNKLINE_PUSH_BYTES_MAX,
    childMemoryBytesMax: config.TRUNKLINE_CHILD_MEMORY_BYTES || defaultChildMemory(),
    commandNice: config.TRUNKLINE_COMMAND_NICE,
    onSpawnerLost: (reason) =>
      logger.error({ reason }, 'the process that starts git and hg has died; another one follows'),
    onHgProtocolFailure: (error, what) => logger.error({ err: error }, what),
  });
  const lastChanges = new LastChangesCache(cache, lastChangesBounds);
  const cloneCache = await openCloneCache(config, logger);
  const fetchCounts = new FetchCounts({
    record: (counts) => transactions.runStatementWithoutCall((db) => recordFetches(db, counts), recordFetchesMsMax),
    logger,
  });
  const tools: RepositoryTools = {
    storages: createStorages(await Promise.all(claimed.map((one) => openServed(config, one, logger)))),
    backends: vcs.backends,
    uploadPack: vcs.uploadPack,
    hgProtocol: vcs.hgProtocol,
    receivePack: vcs.receivePack,
    pushSteps: vcs.pushSteps,
    maintenance: vcs.maintenance,
    renderRst: vcs.renderRst,
    pushBytesMax: config.TRUNKLINE_PUSH_BYTES_MAX,
    pushWaitMs: config.TRUNKLINE_PUSH_WAIT_SECONDS * 1_000,
    isShortOfMemory: vcs.isShortOfMemory,
    children: vcs.children,
    countFailure: failures.operationFailed,
    recordUnreadable: ({ id, type }) => {
      logger.warn({ repositoryId: id, type }, 'repository cannot be read');
      failures.repositoryUnreadable(type);
    },
    contentCaches: createContentCaches(cache),
    lastChanges,
    feeds: new RepositoryFeeds(feedSettings, cache),
    replyCache: new ReplyCache(cache),
    cloneCache: cloneCache.cache,
    fetchCounts,
    streamSlices: new StreamSlices({ permits: cores }),
  };
  const close = async () => {
    lastChanges.close();
    await fetchCounts.close();
    await cloneCache.close();
    await vcs.close();
    await egress.close();
    await rm(runtimeDir, { recursive: true, force: true });
  };
  return { tools, close };
}

function startOperations(config: Config, tools: Tools & RepositoryTools, connections: Connections) {
  const { worker, pools, transactions, bus, dataClient, vault, logger, failures, metrics } = connections;
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
  const arrivals = createArrivals({ db: reads, backends: tools.backends, registry: metrics.registry, logger });
  const copyTools = { bus, vault, client: dataClient };
  const copyStorages = new CopyStorages({
    db: reads,
    own: tools.storages,
    settings: config.TRUNKLINE_COPY_STORAGES,
    open: (claimed) => openServed(config, claimed, logger),
  });
  const copies = createCopies({
    backends: tools.backends,
    async request(call) {
      const served = await copyStorages.find(call);
      return served ? copyHere(arrivals, served, call) : requestCopy(copyTools, call);
    },
  });
  const runnerTools = { ...tools, db: reads, transactions, worker, copies };
  const { waitForOperationEnd } = connections;
  const engine = createOperationEngine({
    worker,
    leaseSeconds,
    leases,
    beginAnew: (operation) => beginAnew(writes, operation, worker, leaseSeconds),
    fenceAttempts: async (operation) => {
      // No bytes are left to take from anybody.
      if (operation.isLost) return;
      await tools.storages.of(operation).fenceAttempts(operation.id, operation.attempt);
    },
    runners: operationRunners({
      ...runnerTools,
      waitForOperationEnd,
      unreachableMs: config.TRUNKLINE_UNREACHABLE_DAYS * dayMs,
    }),
    logger,
    countFailure: failures.operationFailed,
    countDone: failures.operationDone,
    running: connections.running.operations,
    announceEnd(operation) {
      tools.announceEnd(operation);
      // The deletion of the source may have waited for this one.
      if (Object.hasOwn(operation.request, 'afterForks')) announceRelease();
    },
  });
  const pollerTools = { transactions, worker, engine, logger };
  const freeBytesMin = config.TRUNKLINE_STORAGE_FREE_BYTES_MIN;
  const drain = drainJob(pollerTools, { movesMax: config.TRUNKLINE_DRAIN_MOVES, freeBytesMin });
  const maintenance = maintenanceJob(pollerTools, {
    changesMin: config.TRUNKLINE_MAINTENANCE_CHANGES,
    quietSeconds: config.TRUNKLINE_MAINTENANCE_QUIET_SECONDS,
    unreachableDays: config.TRUNKLINE_UNREACHABLE_DAYS,
    freeBytesMin,
  });
  const verification = verificationJob(pollerTools, { days: config.TRUNKLINE_VERIFY_DAYS });
  const sweeper = startSweeper({
    db: writes,
    worker,
    leaseSeconds,
    engine,
    storages: tools.storages,
    trashDays: config.TRUNKLINE_TRASH_DAYS,
    movedCopySeconds: config.TRUNKLINE_MOVED_COPY_SECONDS,
    git: tools.backends.git,
    drain: createStoragePoller(pollerTools, drain),
    maintain: config.TRUNKLINE_MAINTENANCE ? createStoragePoller(pollerTools, maintenance) : async () => {},
    verify: createStoragePoller(pollerTools, verification),
    retention: createRetention({
      db: writes,
      operationDays: config.TRUNKLINE_JOURNAL_DAYS,
      auditDays: config.TRUNKLINE_AUDIT_DAYS,
      trashDays: config.TRUNKLINE_TRASH_DAYS,
      logger,
    }),
    reseal: createResealer({ db: writes, vault, logger }),
    slots: sizes.transfer.slots,
    logger,
  });
  bus.listen(subjects.operationReleased, () => sweeper.wake());
  bus.listen(subjects.operationEnded, (payload) => {
    const ended = decodeOperationEnded(payload);
    if (ended) tools.cloneCache.forgetRepository(ended.repositoryId);
  });
  // The answer to a heartbeat shows which of this worker's operations are cancelled.
  bus.listen(subjects.operationCancelled, () => leases.heartbeat());
  return { arrivals, engine, leases, sweeper };
}

/** Opens storages, git and hg, and starts what runs and takes over operations. */
export async function startRepositoryService(
  config: Config,
  storages: readonly ClaimedStorage[],
  tools: Tools,
  connections: Connections,
): Promise<RepositoryService> {
  const { tools: repositoryTools, close } = await openRepositoryTools(config, storages, tools, connections);
  const { arrivals, engine, leases, sweeper } = startOperations(config, { ...tools, ...repositoryTools }, connections);
  return {
    tools: repositoryTools,
    arrivals,
    engine,
    stopSweeper: () => sweeper.stop(),
    releaseLeases: () => leases.stop(),
    close,
  };
}
