import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { createSecretVault, generateApiKey, roleNames, type SecretVault } from '@trunkline/db';
import type { Programs } from '../app/open-programs.ts';
import type { LocalConfig } from '../config.ts';
import type { AppUsers } from '../process/system-users.ts';
import { chooseGatewayPorts, chooseMetricsPorts, probePort } from '../process/ports.ts';
import { keptSecret } from '../secret-file.ts';
import type { AdminAccess } from './first-admin.ts';
import { giveDirectory } from '../data-dir.ts';
import type { Roster } from './roster.ts';
import type { StackInfo } from './stack-file.ts';
import { startApps } from './start-apps.ts';
import { startServices } from './start-services.ts';
import { storageEnvs, storagePaths } from './storage-env.ts';

export interface StackOptions {
  readonly config: LocalConfig;
  /** The same, with the paths of the programs that nats-server and the apps need: it may take long to fetch these. */
  readonly complete: Promise<LocalConfig>;
  readonly dataDir: string;
  readonly programs: Programs;
  readonly users: AppUsers;
  readonly findAdmin: (databaseUrl: string, vault: SecretVault) => Promise<AdminAccess | null>;
  readonly roster: Roster;
}

export interface Stack {
  readonly summary: Omit<StackInfo, 'processes'>;
  /** Finds the administrator by now, who may have become another one, such as by a restore. */
  readonly findAdmin: () => Promise<AdminAccess | null>;
}

/** Returns what is told of an administrator. */
export function tellAdmin(admin: AdminAccess | null): Pick<StackInfo, 'adminUser' | 'adminApiKey'> {
  return admin === null ? {} : { adminUser: admin.username, adminApiKey: admin.apiKey };
}

async function choosePorts(config: LocalConfig, workers: number) {
  const gatewayPorts = await chooseGatewayPorts({
    first: config.port,
    isSet: config.portIsSet,
    count: config.gateways,
    probe: probePort,
  });
  const metricsPorts = await chooseMetricsPorts({
    first: config.metricsPort,
    gatewayPort: gatewayPorts[0] ?? 0,
    gateways: gatewayPorts.length,
    workers,
    probe: probePort,
  });
  return { gatewayPorts, metricsPorts };
}

/** Starts all services and apps of Trunkline on this machine, with their state in one directory. */
export async function startStack(options: StackOptions): Promise<Stack> {
  const { config, complete, dataDir, programs, users, findAdmin, roster } = options;
  const storageRoot = join(dataDir, 'repositories');
  const { oldSecrets, workers } = config;
  const storages = storagePaths({ storageRoot, passedOn: config.passedOn });
  for (const root of Object.values(storages)) {
    // Workers make the directories of the storages that an operator names, where their user may do so.
    if (root === storageRoot || users.worker !== null) await giveDirectory(root, users.worker);
  }
  const secret = config.secret ?? keptSecret(join(dataDir, 'secret'));
  const vault = createSecretVault(secret, config.oldSecrets);
  const roles = {
    gateway: config.passedOn['TRUNKLINE_GATEWAY_ROLE'] ?? roleNames.gateway,
    worker: config.passedOn['TRUNKLINE_WORKER_ROLE'] ?? roleNames.worker,
  };
  const services = await startServices({ ...config, roles, toolsFound: complete }, dataDir, roster);
  const { passedOn } = await complete;
  // Not before, so that no other process takes these ports while programs are being fetched.
  const ports = await choosePorts(config, storageEnvs({ storageRoot, workers, passedOn }).length);

  const firstAdmin = {
    username: config.adminUser,
    password: config.adminPassword ?? randomBytes(12).toString('base64url'),
    apiKey: config.adminApiKey ?? generateApiKey(),
  };
  // A worker may read what this needs.
  const { ownerUrl, workerUrl } = services.database;
  const former = await findAdmin(workerUrl, vault);
  const logDir = join(dataDir, 'logs');
  const apps = await startApps(
    { programs, users, ...ports, workers, services, secret, oldSecrets, storageRoot, logDir, firstAdmin, passedOn },
    roster,
  );
  const admin = former ?? (await findAdmin(workerUrl, vault));
  const isFirstStart = former === null && admin?.apiKey === firstAdmin.apiKey;

  const baseUrls = apps.gateways.map(({ current }) => `http://127.0.0.1:${current.port}`);
  const metricsUrls = [
    ...apps.gateways.map(({ current }) => current.metricsPort),
    ...apps.workers.map(({ current }) => current.port),
  ].map((port) => `http://127.0.0.1:${port}/metrics`);
  const summary = {
    baseUrl: baseUrls[0] ?? '',
    baseUrls,
    metricsUrl: metricsUrls[0] ?? '',
    metricsUrls,
    ...tellAdmin(admin),
    ...(isFirstStart ? { adminPassword: firstAdmin.password } : {}),
    storages,
    settings: passedOn,
    databaseUrl: ownerUrl,
    natsUrl: services.bus.url,
  };
  return { summary, findAdmin: () => findAdmin(workerUrl, vault) };
}
