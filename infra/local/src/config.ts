import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import {
  clusterSettings,
  integerValue,
  metricsPorts,
  optionalTextValue,
  readConfig,
  setting,
  type Settings,
  textValue,
} from '@trunkline/runtime';
import * as v from 'valibot';

const secretValue = v.pipe(
  optionalTextValue,
  v.check((secret) => secret === null || secret.length >= 32, 'must have at least 32 characters'),
);

const optionalPortValue = v.union([
  v.pipe(
    v.literal(''),
    v.transform(() => null),
  ),
  integerValue(0, 65_535),
]);

const apiKeyValue = v.pipe(
  optionalTextValue,
  v.check((key) => key === null || /^[0-9a-f]{40}$/.test(key), 'must be 40 lowercase hex digits'),
);

const entries = {
  TRUNKLINE_DATA_DIR: setting(optionalTextValue, {
    default: '',
    description:
      'Directory of all data. When empty: `.trunkline/` in the checkout; for root in a checkout that other users ' +
      'cannot enter, a directory below `/var/lib/trunkline`.',
  }),
  TRUNKLINE_PORT: setting(integerValue(0, 65_535), {
    default: '5000',
    description:
      'Port of the first gateway on 127.0.0.1; further gateways take the ones after it. When unset, ports in use are ' +
      'skipped; when set, a port in use is an error. 0 chooses free ports.',
  }),
  TRUNKLINE_METRICS_PORT: setting(optionalPortValue, {
    default: '',
    description:
      `Port of the metrics of the first gateway; further gateways take the ones after it, and workers those ` +
      `${metricsPorts.worker - metricsPorts.gateway} above. When empty: ${metricsPorts.gateway - 5_000} above the first ` +
      'gateway, and a free port for one in use; when set, a port in use is an error. 0 chooses free ports.',
  }),
  TRUNKLINE_GATEWAYS: setting(integerValue(1, 16), { default: '1', description: 'Number of gateway processes.' }),
  TRUNKLINE_WORKERS: setting(integerValue(1, 16), { default: '2', description: 'Number of worker processes.' }),
  TRUNKLINE_SECRET: setting(secretValue, {
    default: '',
    description: 'Secret that encrypts stored API keys. When empty: generated once and kept in the data directory.',
  }),
  TRUNKLINE_OLD_SECRETS: {
    ...clusterSettings.TRUNKLINE_OLD_SECRETS,
    description: 'Former secrets, separated by commas, with which stored API keys can still be read.',
  },
  TRUNKLINE_ADMIN_USER: setting(textValue, {
    default: 'admin',
    description: 'Username of the administrator created at the first start.',
  }),
  TRUNKLINE_ADMIN_PASSWORD: setting(optionalTextValue, {
    default: '',
    description: "First administrator's password. When empty: generated and printed at the first start.",
  }),
  TRUNKLINE_ADMIN_API_KEY: setting(apiKeyValue, {
    default: '',
    description: "First administrator's API key, 40 lowercase hex digits. When empty: generated at the first start.",
  }),
  TRUNKLINE_DATABASE_URL: setting(optionalTextValue, {
    default: '',
    description: 'Postgres database to use. When empty: a separate Postgres in the data directory.',
  }),
  TRUNKLINE_MIGRATE_URL: setting(optionalTextValue, {
    default: '',
    description:
      'The same database as the role that owns the schema, for migrations. When empty: TRUNKLINE_DATABASE_URL.',
  }),
  TRUNKLINE_NATS_URL: setting(optionalTextValue, {
    default: '',
    description:
      'NATS server to use, with a user that has the permissions of gateways and workers. When empty: a separate nats-server.',
  }),
};

/** Every variable that `npm start` reads itself; all other TRUNKLINE_ variables are passed on to the apps. */
export const localConfigEntries: Settings = entries;

export interface LocalConfig {
  readonly dataDir: string | null;
  readonly port: number;
  /** Whether TRUNKLINE_PORT was set; otherwise `port` is the default. */
  readonly portIsSet: boolean;
  /** Port of the metrics of the first gateway; null when it follows from that gateway's port. */
  readonly metricsPort: number | null;
  readonly gateways: number;
  readonly workers: number;
  readonly secret: string | null;
  readonly oldSecrets: readonly string[];
  readonly adminUser: string;
  readonly adminPassword: string | null;
  readonly adminApiKey: string | null;
  readonly databaseUrl: string | null;
  readonly migrateUrl: string | null;
  readonly natsUrl: string | null;
  /** TRUNKLINE_ variables that are passed unchanged to the apps. */
  readonly passedOn: Readonly<Record<string, string>>;
  /** Whether npm started this process; the end of the parent process is then a request to stop. */
  readonly startedByNpm: boolean;
}

function definedEntries(env: NodeJS.ProcessEnv): (readonly [string, string])[] {
  return Object.entries(env).flatMap(([name, value]) => (value === undefined ? [] : [[name, value] as const]));
}

/** Reads the settings of `npm start`; throws ConfigError, which names every wrong variable. */
export function readLocalConfig(env: NodeJS.ProcessEnv = process.env): LocalConfig {
  const read = readConfig(entries, env);
  const passedOn = definedEntries(env).filter(
    ([name]) => name.startsWith('TRUNKLINE_') && !Object.hasOwn(entries, name),
  );
  return {
    dataDir: read.TRUNKLINE_DATA_DIR,
    port: read.TRUNKLINE_PORT,
    portIsSet: (env['TRUNKLINE_PORT'] ?? '') !== '',
    metricsPort: read.TRUNKLINE_METRICS_PORT,
    gateways: read.TRUNKLINE_GATEWAYS,
    workers: read.TRUNKLINE_WORKERS,
    secret: read.TRUNKLINE_SECRET,
    oldSecrets: read.TRUNKLINE_OLD_SECRETS,
    adminUser: read.TRUNKLINE_ADMIN_USER,
    adminPassword: read.TRUNKLINE_ADMIN_PASSWORD,
    adminApiKey: read.TRUNKLINE_ADMIN_API_KEY,
    databaseUrl: read.TRUNKLINE_DATABASE_URL,
    migrateUrl: read.TRUNKLINE_MIGRATE_URL,
    natsUrl: read.TRUNKLINE_NATS_URL,
    passedOn: Object.fromEntries(passedOn),
    startedByNpm: env['npm_lifecycle_event'] !== undefined,
  };
}

/** Returns the environment for child processes, without settings and secrets that are meant for other processes. */
export function childEnvironment(env: NodeJS.ProcessEnv = process.env): Record<string, string> {
  const kept = definedEntries(env).filter(
    ([name]) => name === 'TRUNKLINE_DATA_DIR' || !/^(TRUNKLINE_|npm_)/.test(name),
  );
  return Object.fromEntries(kept);
}

/** Returns the path of the nats-server that the bootstrap has found, else of the system's. */
export function natsServerPath(env: NodeJS.ProcessEnv = process.env): string {
  const usual = ['/usr/sbin/nats-server', '/usr/local/sbin/nats-server'].find((path) => existsSync(path));
  return env['TRUNKLINE_NATS_SERVER'] ?? usual ?? 'nats-server';
}

/** The root of the checkout: `dist`, from which this runs, is beside `src`. */
export const checkout = fileURLToPath(new URL('../../..', import.meta.url));
