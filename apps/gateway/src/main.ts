import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { gatewayInboxes, statesListedMax } from '@trunkline/contracts';
import {
  pingDatabase,
  createSecretVault,
  listProcesses,
  openPools,
  prepareSchema,
  requireKnownKeys,
  whenDatabaseWorks,
  withConnection,
} from '@trunkline/db';
import {
  announceReady,
  answerWhileWaiting,
  connectBus,
  createCallMetrics,
  createClusterState,
  createLogger,
  DataClient,
  observeBus,
  observeReadiness,
  openTracing,
  processState,
  readDataClientOptions,
  runMain,
  RunningWork,
  sendsTraces,
  serveMetrics,
  serviceVersion,
  stopOnSignal,
  takeOverConsole,
  type RunningCalls,
} from '@trunkline/runtime';
import { setTextEncodings } from '@trunkline/runtime/text';
import { limitAddresses } from './authn/rate-limit.ts';
import { createBulkhead, createQueryMetrics, createTransact } from './queries.ts';
import { createKeyCheck, createSignInTools } from './authn/create-authn.ts';
import { refuseLimitedKeys } from './authn/authenticate.ts';
import { createPasswordThrottle } from './authn/guess-throttles.ts';
import { sourceOf } from './http/network.ts';
import { systemClock as clock } from './clock.ts';
import { readGatewayConfig, type GatewayConfig } from './config.ts';
import type { Connections } from './connections.ts';
import { watchDataPorts } from './dispatch/watch-data-ports.ts';
import { openDispatch } from './dispatch/open-dispatch.ts';
import { RepositoryHints } from './dispatch/repository-hints.ts';
import { listStorages, StorageDirectory, type KnownStorage } from './dispatch/storage-directory.ts';
import { workerCounter } from './http/ping-workers.ts';
import { createReadiness, observeLanes } from './http/readiness.ts';
import { createApp } from './http/app.ts';
import { BodyBudget } from './http/body-budget.ts';
import { createBodySlices } from './http/body-slices.ts';
import { clientAddressReader, createIsSecure, createOrigin } from './http/forwarded.ts';
import { startHttpServer } from './http/http-server.ts';
import { createReceiveBody } from './http/receive-body.ts';
import { rpcEndpoint } from './rpc/endpoint.ts';
import { createRecorders } from './http/create-recorders.ts';
import { RequestSpans } from './http/request-spans.ts';
import { createRenderers } from './web/render/create-renderers.ts';
import { createRepositoryLocator } from './web/repository/repository-locator.ts';
import { defaultUserIdReader, keyPages } from './web/identify.ts';
import { webApp } from './web/web-app.ts';
import { vcsMiddleware } from './vcs-http/vcs-endpoint.ts';

/** Limit of the wait for a lock, as in workers. */
const lockTimeoutMs = 250;
/** Time to send errors after the bus has closed. */
const lastAnswersMsMax = 1_000;

/** Returns whether workers are to serve a storage. */
const isUsed = ({ state }: KnownStorage) => state !== 'lost' && state !== 'offline';

async function startServing(config: GatewayConfig, connections: Connections, isStopping: () => boolean) {
  const { db, otherQueries, bus, vault, logger, metrics, identity, spans } = connections;
  observeBus(metrics.registry, bus);
  const dataPorts = watchDataPorts({ bus, client: connections.dataClient, logger });
  const calls: RunningCalls = new RunningWork();
  const isSecure = createIsSecure(config.TRUNKLINE_TRUSTED_PROXIES);
  const hints = new RepositoryHints();
  const directory = new StorageDirectory(() => otherQueries(() => listStorages(db)), clock);
  const authenticate = createKeyCheck(config, connections);
  const bytesMax = config.TRUNKLINE_BODY_BYTES_MAX;
  const pendingBytesMax = config.TRUNKLINE_PENDING_BODY_BYTES_MAX;
  const bodies = {
    budget: new BodyBudget({ pendingBytesMax, bodyBytesMax: bytesMax }),
    takeSlice: createBodySlices(),
  };
  const shared = {
    ...bodies,
    receiveBody: createReceiveBody({ bytesMax, ...bodies }),
    clientAddress: clientAddressReader(config.TRUNKLINE_TRUSTED_PROXIES),
    authenticate: refuseLimitedKeys(authenticate),
    origin: createOrigin(config.TRUNKLINE_BASE_URL, isSecure),
    dispatch: openDispatch(config, connections, { directory, hints, calls }),
  };
  const record = createRecorders(spans, logger, metrics);
  const endpoint = rpcEndpoint({ ...shared, record: record.call });
  const renderers = createRenderers();
  metrics.observeCache('renderings', () => renderers.figures);
  const locate = createRepositoryLocator(db, ({ storageId, ...found }) =>
    hints.set({ ...found, storage: directory.nameOf(storageId) }),
  );
  const readDefaultUserId = defaultUserIdReader(db);
  const signIn = await createSignInTools(config, connections, { authenticate, dispatch: shared.dispatch }, isSecure);
  const anonymousId = config.TRUNKLINE_ANONYMOUS_VIEWING ? () => otherQueries(readDefaultUserId) : null;
  const vcs = vcsMiddleware({
    ...shared,
    // Bodies of the API must not keep clients of git and Mercurial out, nor these them.
    budget: new BodyBudget({ pendingBytesMax, bodyBytesMax: 0 }),
    login: signIn.login,
    readDefaultUserId: anonymousId,
    requireAddressRate: limitAddresses(clock, {
      perSecond: config.TRUNKLINE_ANONYMOUS_RATE_LIMIT,
      burst: config.TRUNKLINE_ANONYMOUS_RATE_LIMIT_BURST,
    }),
    dataClient: connections.dataClient,
    record: record.vcs,
    siteName: config.TRUNKLINE_SITE_NAME,
    pushBytesMax: config.TRUNKLINE_PUSH_BYTES_MAX,
    transferMsMax: config.TRUNKLINE_TRANSFER_TIMEOUT * 1_000,
  });
  const web = webApp({
    ...shared,
    ...signIn,
    siteName: config.TRUNKLINE_SITE_NAME,
    isKeyPage: keyPages(config.TRUNKLINE_API_ACCESS_CONTROLLERS_WHITELIST),
    readDefaultUserId: anonymousId,
    locate: (segments) => otherQueries(() => locate(segments)),
    renderers,
    passwordThrottle: createPasswordThrottle(clock),
    record: record.visit,
    countWorkers: workerCounter(bus),
    readCluster: createClusterState({
      bus,
      vault,
      readOwn: () => {
        const unreachable = dataPorts.unreachable().slice(0, statesListedMax);
        return processState(identity, { calls }, { lanes: [], storages: [], childMemoryBytes: null, unreachable });
      },
      listProcesses: () => otherQueries(() => listProcesses(db)),
      listStorages: async () => (await directory.all()).filter(isUsed).map((storage) => storage.name),
    }),
  });
  const pingDatabaseOnce = () => otherQueries(() => pingDatabase(db));
  const readiness = createReadiness({ pingDatabase: pingDatabaseOnce, directory, bus, clock });
  observeLanes(metrics.registry, readiness);
  observeReadiness(metrics.registry, async () => (isStopping() ? ['stopping'] : (await readiness()).missing));
  const report = (error: unknown) => logger.error({ err: error }, 'request failed');
  const app = createApp({
    endpoint,
    vcs,
    web,
    readiness,
    isStopping,
    trace: spans?.middleware,
    report,
  });
  // The API is served last: a gateway that cannot serve its metrics ends before any client has reached it.
  const metricsServer = await serveMetrics({
    registry: metrics.registry,
    host: config.TRUNKLINE_METRICS_HOST,
    port: config.TRUNKLINE_METRICS_PORT,
    logger,
  });
  const http = await startHttpServer(app, {
    host: config.TRUNKLINE_HOST,
    port: config.TRUNKLINE_PORT,
    connectionsMax: config.TRUNKLINE_HTTP_CONNECTIONS_MAX,
    report,
    trustedProxies: config.TRUNKLINE_TRUSTED_PROXIES,
    sourceOf: (incoming) => sourceOf(shared.clientAddress(incoming)),
    registry: metrics.registry,
  });
  return { renderers, http, metricsServer, dataPorts };
}

async function main(): Promise<void> {
  const config = readGatewayConfig();
  setTextEncodings(config.TRUNKLINE_TEXT_ENCODINGS);
  const logger = createLogger({ role: 'gateway', level: config.TRUNKLINE_LOG_LEVEL });
  takeOverConsole(logger);
  const identity = { id: randomUUID(), role: 'gateway', version: await serviceVersion() } as const;
  const name = `gateway ${identity.id}`;
  const tracing = await openTracing({ isOn: sendsTraces(config), identity, logger });

  const url = config.TRUNKLINE_DATABASE_URL;
  const pools = openPools(url, name, {
    requests: { connectionsMax: config.TRUNKLINE_GATEWAY_CONNECTIONS, lockTimeoutMs },
  });
  const db = pools.db.requests;
  const vault = createSecretVault(config.TRUNKLINE_SECRET, config.TRUNKLINE_OLD_SECRETS);
  const warn = (text: string) => logger.warn(text);
  pools.watch(warn);
  await answerWhileWaiting({ host: config.TRUNKLINE_HOST, port: config.TRUNKLINE_PORT, logger }, (onWait) =>
    whenDatabaseWorks(async () => {
      const roles = { gateway: config.TRUNKLINE_GATEWAY_ROLE, worker: config.TRUNKLINE_WORKER_ROLE };
      await prepareSchema({ url, migrateUrl: config.TRUNKLINE_MIGRATE_URL, tier: 'gateway', roles }, onWait);
      // Without the lock of starts, which would let the role of gateways hold up all others.
      await withConnection(url, () => pools.requireConnections(warn));
      await requireKnownKeys(db, vault);
    }, onWait),
  );
  const bus = await connectBus({ url: config.TRUNKLINE_NATS_URL, name, inboxPrefix: gatewayInboxes, logger });
  const dataClient = new DataClient({ ...(await readDataClientOptions(config)), vault });
  const metrics = createCallMetrics('gateway');
  const meter = createQueryMetrics(metrics.registry);
  let stopping = false;
  const { http, metricsServer, renderers, dataPorts } = await startServing(
    config,
    {
      db,
      bulkhead: meter('callers', createBulkhead()),
      otherQueries: meter('others', createBulkhead()),
      transact: createTransact(db, config.TRUNKLINE_GATEWAY_CONNECTIONS),
      bus,
      vault,
      logger,
      metrics,
      dataClient,
      identity,
      spans: tracing && new RequestSpans(tracing, config.TRUNKLINE_TRACEPARENT),
    },
    () => stopping,
  );

  const drainMs = config.TRUNKLINE_DRAIN_SECONDS * 1_000;
  const stopMsMax = config.TRUNKLINE_STOP_SECONDS * 1_000;
  const stop = async () => {
    stopping = true;
    dataPorts.stop();
    http.closeAfterResponses();
    await sleep(drainMs);
    await http.drain(stopMsMax);
    // Calls that still wait for a worker fail now, those that write with OutcomeUnknownError; then the errors are sent.
    await bus.close();
    await http.drain(lastAnswersMsMax);
    http.close();
    dataClient.close();
    await renderers.close();
    await metricsServer.close();
    await Promise.all([pools.close(), tracing?.stop()]);
  };
  stopOnSignal(logger, stop, drainMs + stopMsMax);
  announceReady({ port: http.port, metricsPort: metricsServer.port });
  logger.info({ host: config.TRUNKLINE_HOST, port: http.port, metricsPort: metricsServer.port }, 'serving');
}

await runMain(main);
