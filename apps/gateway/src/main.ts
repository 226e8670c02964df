import { subjects } from '@trunkline/contracts';
import { createSecretVault, migrate, openDatabase, requireSameSecret, type Database } from '@trunkline/db';
import {
  announceReady,
  connectBus,
  createCallMetrics,
  createLogger,
  runMain,
  serveMetrics,
  stopOnSignal,
  type Bus,
  type Logger,
} from '@trunkline/runtime';
import { createAuthenticate } from './authn/authenticate.ts';
import { createCallerCache } from './authn/caller-cache.ts';
import { createLookUp } from './authn/caller-look-up.ts';
import { callerStore } from './authn/caller-store.ts';
import { keyUse } from './authn/key-use.ts';
import { createLookUpThrottle } from './authn/look-up-throttle.ts';
import { systemClock } from './clock.ts';
import { readGatewayConfig } from './config.ts';
import { createDispatch } from './dispatch/dispatch.ts';
import { askDatabase } from './health/database-store.ts';
import { createReadiness } from './health/readiness.ts';
import { createApp } from './http/app.ts';
import { clientAddressReader } from './http/client-address.ts';
import { startHttpServer } from './http/http-server.ts';
import { callRecorder } from './rpc/call-recorder.ts';
import { rpcEndpoint } from './rpc/endpoint.ts';

const lookUpLimits = { waitingMax: 1_000, waitMsMax: 5_000 };
const stopMsMax = 15_000;
const lastAnswersMsMax = 1_000;

type Config = ReturnType<typeof readGatewayConfig>;

interface Connections {
  readonly db: Database;
  readonly bus: Bus;
  readonly logger: Logger;
}

function authenticator(config: Config, { db, bus, logger }: Connections) {
  const clock = systemClock;
  const cache = createCallerCache(clock);
  const lookUp = createLookUp(callerStore(db), lookUpLimits);
  bus.listen(subjects.callersChanged, () => {
    cache.drop();
    lookUp.forget();
  });
  const vault = createSecretVault(config.TRUNKLINE_SECRET);
  return createAuthenticate({
    vault,
    cache,
    lookUp,
    throttle: createLookUpThrottle(clock),
    noteUse: keyUse(db, logger),
  });
}

async function startServing(config: Config, { db, bus, logger }: Connections, isStopping: () => boolean) {
  const metrics = createCallMetrics();
  const endpoint = rpcEndpoint({
    bodyBytesMax: config.TRUNKLINE_BODY_BYTES_MAX,
    clientAddress: clientAddressReader(config.TRUNKLINE_TRUSTED_PROXIES),
    authenticate: authenticator(config, { db, bus, logger }),
    dispatch: createDispatch({
      bus,
      transferTimeoutMs: config.TRUNKLINE_TRANSFER_TIMEOUT * 1_000,
      clock: systemClock,
    }),
    record: callRecorder(logger, metrics),
    isStopping,
  });
  const readiness = createReadiness({ askDatabase: () => askDatabase(db), bus, clock: systemClock });
  const app = createApp({ endpoint, readiness, isStopping });
  return {
    http: await startHttpServer(app, { host: config.TRUNKLINE_HOST, port: config.TRUNKLINE_PORT }),
    metricsServer: await serveMetrics(metrics.registry, config.TRUNKLINE_METRICS_HOST, config.TRUNKLINE_METRICS_PORT),
  };
}

async function main(): Promise<void> {
  const config = readGatewayConfig();
  const logger = createLogger({ role: 'gateway', level: config.TRUNKLINE_LOG_LEVEL });
  const name = `gateway ${process.pid}`;

  await migrate(config.TRUNKLINE_DATABASE_URL);
  const database = openDatabase(config.TRUNKLINE_DATABASE_URL, { connectionsMax: 3, name });
  await requireSameSecret(database.db, createSecretVault(config.TRUNKLINE_SECRET));
  const bus = await connectBus({ url: config.TRUNKLINE_NATS_URL, name, logger });
  let stopping = false;
  const { http, metricsServer } = await startServing(config, { db: database.db, bus, logger }, () => stopping);

  stopOnSignal(logger, async () => {
    stopping = true;
    await http.drain(stopMsMax);
    // Whoever is still waiting for a worker is told that the outcome is not known.
    await bus.close();
    await http.drain(lastAnswersMsMax);
    http.close();
    await metricsServer.close();
    await database.close();
  });
  announceReady({ port: http.port, metricsPort: metricsServer.port });
  logger.info({ host: config.TRUNKLINE_HOST, port: http.port, metricsPort: metricsServer.port }, 'serving');
}

await runMain(main);
