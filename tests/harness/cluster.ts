import { randomBytes } from 'node:crypto';
import { chmod, mkdir, mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { migrate } from '@trunkline/db';
import { startApp, startNats } from '@trunkline/local';
import * as v from 'valibot';
import { copyTestDatabase, openTestDatabase, type TestDatabase } from './test-database.ts';

type App = Awaited<ReturnType<typeof startApp>>;
type Gateway = App & { readonly baseUrl: string };

const programOf = (app: string) => fileURLToPath(new URL(`../../apps/${app}/dist/main.js`, import.meta.url));
const Ready = v.object({ port: v.optional(v.number()), metricsPort: v.number() });

export interface Cluster {
  readonly baseUrl: string;
  readonly baseUrls: readonly string[];
  readonly metricsUrls: readonly string[];
  readonly adminKey: string;
  /** URL of the database's superuser. */
  readonly databaseUrl: string;
  /** The URLs of the database by role: those of gateways and workers are what these get. */
  readonly database: TestDatabase;
  readonly storageRoot: string;
  /** Root directories of all storages, by name; `storageRoot` is that of `default`. */
  readonly storageRoots: Readonly<Record<string, string>>;
  readonly secret: string;
  readonly gateways: readonly Gateway[];
  readonly workers: readonly App[];
  readonly nats: Awaited<ReturnType<typeof startNats>>;
  /** Starts the killed NATS server again on the same port. */
  restartNats(): Promise<void>;
  /** Starts a worker of this release, or from another entry file. */
  startWorker(env?: Record<string, string>, entry?: string): Promise<App>;
  startGateway(env?: Record<string, string>, entry?: string): Promise<Gateway>;
  /** Returns all log lines of gateways and workers so far. */
  logs(): Promise<string>;
  stop(): Promise<void>;
  /** Kills gateways and workers with SIGKILL, for tests that leave calls hanging. */
  kill(): Promise<void>;
}

export interface ClusterOptions {
  readonly postgresUrl: string;
  readonly gateways: number;
  readonly workers: number;
  readonly env?: Record<string, string>;
  /** Name of an existing database; one of the cluster's own when absent. */
  readonly databaseName?: string;
  /** Whether the cluster's own database has no schema before the first app starts. */
  readonly withoutSchema?: boolean;
  /** Root directory of the repositories; a temporary directory of the cluster when absent. */
  readonly storageRoot?: string;
  /** Names of further storages, beside the first one. */
  readonly storages?: readonly string[];
  /** The bus to use; a nats-server of the cluster when absent. */
  readonly bus?: { readonly gatewayUrl: string; readonly workerUrl: string };
  /** Whether settings that are different in tests have the values that they have in production. */
  readonly withDefaults?: boolean;
  /** Largest message of NATS, in bytes; the limit of Trunkline's configuration when absent. */
  readonly maxPayloadBytes?: number;
}

/** Returns the variables with the tools that the bootstrap found for workers, which apps do not inherit. */
function toolCommands(): Record<string, string> {
  const names = ['TRUNKLINE_GIT_COMMAND', 'TRUNKLINE_HG_COMMAND', 'TRUNKLINE_BZIP2_COMMAND'];
  return Object.fromEntries(names.flatMap((name) => (process.env[name] ? [[name, process.env[name]]] : [])));
}

/** Settings of tests, for which `production-defaults.test.ts` has those of production. */
const forTests = {
  // Tests share a busy machine with each other, whose other processes would leave long commands next to nothing.
  TRUNKLINE_COMMAND_NICE: '0',
  // A test sets the state `draining` without waiting for its repositories to move away.
  TRUNKLINE_DRAIN_MOVES: '0',
  // Tests that do not look for it are not to meet it.
  TRUNKLINE_MAINTENANCE: 'false',
  // Tests do not depend on the free space of their machine.
  TRUNKLINE_STORAGE_FREE_BYTES_MIN: '0',
  // No load balancer has to notice the stop of a gateway.
  TRUNKLINE_DRAIN_SECONDS: '0',
};

/** Starts a cluster of real processes with a database, a NATS server and a storage of its own. */
export async function startCluster(options: ClusterOptions): Promise<Cluster> {
  const {
    postgresUrl,
    gateways,
    workers,
    env = {},
    storageRoot: givenRoot,
    storages = [],
    bus,
    databaseName,
    withoutSchema = false,
    withDefaults = false,
    ...natsOptions
  } = options;
  const directory = await mkdtemp(join(tmpdir(), 'trunkline-cluster-'));
  // The NATS server may run as another user when the tests run as root.
  await chmod(directory, 0o755);
  const storageRoot = givenRoot ?? join(directory, 'repositories');
  const further = Object.fromEntries(storages.map((name) => [name, join(directory, name)]));
  const storageRoots = { default: storageRoot, ...further };
  const named = Object.entries(storageRoots).map(([name, root]) => `${name}=${root}`);
  const secret = randomBytes(32).toString('hex');
  const adminKey = randomBytes(20).toString('hex');
  const openDatabase = databaseName === undefined && !withoutSchema ? copyTestDatabase : openTestDatabase;
  const database = await openDatabase(postgresUrl, databaseName ?? `test_${randomBytes(6).toString('hex')}`);
  let nats = bus ? null : await startNats({ dataDir: join(directory, 'nats'), ...natsOptions });
  const ownNats = () => {
    if (!nats) throw new Error('the bus belongs to the test');
    return nats;
  };
  const common = {
    TRUNKLINE_SECRET: secret,
    TRUNKLINE_METRICS_PORT: '0',
    TRUNKLINE_ALLOWED_REMOTES: '127.0.0.0/8,::1/128',
    TRUNKLINE_LOG_LEVEL: 'warn',
    ...(withDefaults ? {} : forTests),
    ...toolCommands(),
    ...env,
  };
  const running: App[] = [];
  let starts = 0;
  let migrated = openDatabase === copyTestDatabase ? Promise.resolve() : undefined;
  await mkdir(join(directory, 'logs'));
  const start = async (app: string, own: Record<string, string>, entry?: string) => {
    // Apps of another release, and those with the variable, empty or not, migrate or wait by themselves.
    if (entry === undefined && !('TRUNKLINE_MIGRATE_URL' in own)) await (migrated ??= migrate(database.ownerUrl));
    starts += 1;
    const logPath = join(directory, 'logs', `${app}-${starts}.log`);
    const started = await startApp({ entry: entry ?? programOf(app), env: { ...common, ...own }, logPath });
    running.push(started);
    return started;
  };
  const workerEnv = () => ({
    TRUNKLINE_DATABASE_URL: database.workerUrl,
    TRUNKLINE_NATS_URL: (bus ?? ownNats()).workerUrl,
    ...(storages.length > 0
      ? { TRUNKLINE_STORAGES: named.join(','), TRUNKLINE_STORAGE_CREATE: storages.join(',') }
      : { TRUNKLINE_STORAGE_ROOT: storageRoot }),
    TRUNKLINE_ADMIN_API_KEY: adminKey,
    TRUNKLINE_ADMIN_PASSWORD: 'secret of the first administrator',
  });
  const startWorker = (own: Record<string, string> = {}, entry?: string) =>
    start('vcs-worker', { ...workerEnv(), ...own }, entry);
  const gatewayEnv = () => ({
    TRUNKLINE_DATABASE_URL: database.gatewayUrl,
    TRUNKLINE_NATS_URL: (bus ?? ownNats()).gatewayUrl,
    TRUNKLINE_HOST: '127.0.0.1',
    TRUNKLINE_PORT: '0',
  });
  const startGateway = async (own: Record<string, string> = {}, entry?: string) => {
    const app = await start('gateway', { ...gatewayEnv(), ...own }, entry);
    return { ...app, baseUrl: `http://127.0.0.1:${v.parse(Ready, app.ready).port}` };
  };
  const clear = async () => {
    await nats?.stop();
    await rm(directory, { recursive: true, force: true });
  };
  const started = await Promise.all([
    Promise.all(Array.from({ length: workers }, () => startWorker())),
    Promise.all(Array.from({ length: gateways }, () => startGateway())),
  ]);
  const baseUrls = started[1].map(({ baseUrl }) => baseUrl);
  return {
    baseUrl: baseUrls[0] ?? '',
    baseUrls,
    metricsUrls: [...started[1], ...started[0]].map(
      (app) => `http://127.0.0.1:${v.parse(Ready, app.ready).metricsPort}/metrics`,
    ),
    adminKey,
    databaseUrl: database.url,
    database,
    storageRoot,
    storageRoots,
    secret,
    gateways: started[1],
    workers: started[0],
    get nats() {
      return ownNats();
    },
    async restartNats() {
      nats = await startNats({ dataDir: join(directory, 'nats'), ...natsOptions, port: ownNats().port });
    },
    startWorker,
    startGateway,
    async logs() {
      const files = await readdir(join(directory, 'logs'));
      return (await Promise.all(files.map((file) => readFile(join(directory, 'logs', file), 'utf8')))).join('');
    },
    async stop() {
      await Promise.all(running.map((app) => app.stop()));
      await clear();
    },
    async kill() {
      await Promise.all(running.map((app) => app.kill()));
      await clear();
    },
  };
}
