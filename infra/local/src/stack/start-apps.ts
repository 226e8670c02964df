import { join } from 'node:path';
import * as v from 'valibot';
import type { Programs } from '../app/open-programs.ts';
import { startApp, type AppOptions } from '../app/start-app.ts';
import type { AppUsers } from '../process/system-users.ts';
import type { KeptProcess } from './keep-running.ts';
import type { MetricsPorts } from '../process/ports.ts';
import type { Roster, StackChild } from './roster.ts';
import { storageEnvs } from './storage-env.ts';
import type { Services } from './start-services.ts';

const portValue = v.pipe(v.number(), v.integer(), v.minValue(1));
const gatewayReady = v.object({ ready: v.literal(true), port: portValue, metricsPort: portValue });
const workerReady = v.object({ ready: v.literal(true), metricsPort: portValue });

export interface Gateway extends StackChild {
  readonly port: number;
  readonly metricsPort: number;
}

/** A worker; its port is that of its metrics. */
interface Worker extends StackChild {
  readonly port: number;
}

export interface Apps {
  readonly gateways: readonly KeptProcess<Gateway>[];
  readonly workers: readonly KeptProcess<Worker>[];
}

export interface AppPlan {
  readonly programs: Programs;
  /** Users as whom gateways and workers run. */
  readonly users: AppUsers;
  readonly gatewayPorts: readonly number[];
  /** Ports of the metrics of gateways and workers; 0 for a free one. */
  readonly metricsPorts: MetricsPorts;
  readonly workers: number;
  readonly services: Services;
  readonly secret: string;
  readonly oldSecrets: readonly string[];
  readonly storageRoot: string;
  readonly logDir: string;
  readonly firstAdmin: { readonly username: string; readonly password: string; readonly apiKey: string };
  /** Further TRUNKLINE_ variables for every app. */
  readonly passedOn: Readonly<Record<string, string>>;
}

/** Stacks in logs name the sources, as with units and images. */
const nodeOptions = ['--enable-source-maps'];

function commonEnv({ passedOn, secret, oldSecrets }: AppPlan) {
  return {
    ...passedOn,
    TRUNKLINE_SECRET: secret,
    TRUNKLINE_OLD_SECRETS: oldSecrets.join(','),
  };
}

async function startGateway(
  plan: AppPlan,
  options: Pick<AppOptions, 'name' | 'logPath'>,
  ports: { readonly port: number; readonly metricsPort: number },
): Promise<Gateway> {
  const { programs, services, users } = plan;
  const env = {
    // No load balancer has to notice the stop.
    TRUNKLINE_DRAIN_SECONDS: '0',
    ...commonEnv(plan),
    TRUNKLINE_DATABASE_URL: services.database.gatewayUrl,
    TRUNKLINE_NATS_URL: services.bus.gatewayUrl,
    TRUNKLINE_HOST: '127.0.0.1',
    TRUNKLINE_PORT: String(ports.port),
    TRUNKLINE_METRICS_PORT: String(ports.metricsPort),
  };
  const app = await startApp({
    entry: programs.gateway,
    node: programs.node,
    nodeOptions,
    env,
    user: users.gateway,
    ...options,
  });
  const ready = v.parse(gatewayReady, app.ready);
  return { ...app, port: ready.port, metricsPort: ready.metricsPort };
}

async function startWorker(
  plan: AppPlan,
  options: Pick<AppOptions, 'name' | 'logPath'>,
  storageEnv: Readonly<Record<string, string>>,
  metricsPort: number,
): Promise<Worker> {
  const { firstAdmin, programs, services, users } = plan;
  const env = {
    ...commonEnv(plan),
    TRUNKLINE_DATABASE_URL: services.database.workerUrl,
    TRUNKLINE_NATS_URL: services.bus.workerUrl,
    ...storageEnv,
    TRUNKLINE_METRICS_PORT: String(metricsPort),
    TRUNKLINE_DATA_HOST: '127.0.0.1',
    TRUNKLINE_DATA_PORT: '0',
    TRUNKLINE_DATA_URL: '',
    TRUNKLINE_ADMIN_USER: firstAdmin.username,
    TRUNKLINE_ADMIN_PASSWORD: firstAdmin.password,
    TRUNKLINE_ADMIN_API_KEY: firstAdmin.apiKey,
  };
  const app = await startApp({
    entry: programs.worker,
    node: programs.node,
    nodeOptions,
    env,
    user: users.worker,
    ...options,
  });
  return { ...app, port: v.parse(workerReady, app.ready).metricsPort };
}

/** Starts all workers and gateways concurrently and keeps them running; one that is restarted keeps its ports. */
export async function startApps(plan: AppPlan, roster: Roster): Promise<Apps> {
  const named = (name: string) => ({ name, logPath: join(plan.logDir, `${name}.log`) });
  const keepWorker = (env: Readonly<Record<string, string>>, index: number) => {
    const name = `vcs-worker-${index + 1}`;
    const planned = plan.metricsPorts.workers[index] ?? 0;
    return roster.keep<Worker>('vcs-worker', {
      name,
      start: (former) => startWorker(plan, named(name), env, former?.port ?? planned),
    });
  };
  const workers: Promise<KeptProcess<Worker>>[] = [];
  for (const env of storageEnvs(plan)) {
    workers.push(keepWorker(env, workers.length));
    // The first storage of a new instance needs no TRUNKLINE_STORAGE_CREATE: its worker comes before those of others.
    if (plan.passedOn['TRUNKLINE_STORAGES']) await workers[0];
  }
  const gateways = plan.gatewayPorts.map((port, index) => {
    const name = `gateway-${index + 1}`;
    const metricsPort = plan.metricsPorts.gateways[index] ?? 0;
    return roster.keep<Gateway>('gateway', {
      name,
      start: (former) => startGateway(plan, named(name), former ?? { port, metricsPort }),
    });
  });
  const [startedGateways, startedWorkers] = await Promise.all([Promise.all(gateways), Promise.all(workers)]);
  return { gateways: startedGateways, workers: startedWorkers };
}
