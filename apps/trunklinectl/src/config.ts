import {
  childMemorySetting,
  clusterSettings,
  commandSettings,
  ConfigError,
  dataClientSettings,
  dataServerSettings,
  integerValue,
  migrateSettings,
  poolSettings,
  readConfig,
  readStorages,
  setting,
  storageSettings,
  type ConfigOf,
  type Settings,
  type StorageSetting,
} from '@trunkline/runtime';
import * as v from 'valibot';

const {
  TRUNKLINE_DATABASE_URL,
  TRUNKLINE_GATEWAY_ROLE,
  TRUNKLINE_METRICS_HOST,
  TRUNKLINE_NATS_URL,
  TRUNKLINE_OLD_SECRETS,
  TRUNKLINE_SECRET,
  TRUNKLINE_STORAGE_FREE_BYTES_MIN,
  TRUNKLINE_WORKER_ROLE,
} = clusterSettings;

/** Settings of commands that compare what was written under the secret. */
const secretSettings = { TRUNKLINE_SECRET, TRUNKLINE_OLD_SECRETS };

/** Settings of commands that change rows. */
const databaseSettings = { TRUNKLINE_DATABASE_URL, ...secretSettings };

/** Settings of commands that also ask the processes of the cluster. */
const processSettings = { ...databaseSettings, TRUNKLINE_NATS_URL };

/** Settings of commands that bring repositories to storages of this machine. */
const importSettings = { ...databaseSettings, ...storageSettings };

/** Settings of backups and of their restoration: those of a worker, and the owner of the tables. */
const backupSettings = {
  ...processSettings,
  ...dataClientSettings,
  TRUNKLINE_MIGRATE_URL: migrateSettings.TRUNKLINE_MIGRATE_URL,
};

/** A port, or null where none is set: the defaults of gateways and workers differ. */
const optionalPort = setting(
  v.union([
    v.pipe(
      v.literal(''),
      v.transform(() => null),
    ),
    integerValue(0, 65_535),
  ]),
  { default: '', description: 'A port' },
);

/** What a gateway or a worker is given, as far as it can be checked from beside it. */
const checkedSettings = {
  ...processSettings,
  ...dataServerSettings,
  ...dataClientSettings,
  ...storageSettings,
  ...poolSettings,
  ...commandSettings,
  TRUNKLINE_GATEWAY_ROLE,
  TRUNKLINE_WORKER_ROLE,
  TRUNKLINE_STORAGE_FREE_BYTES_MIN,
  TRUNKLINE_CHILD_MEMORY_BYTES: childMemorySetting,
  TRUNKLINE_METRICS_HOST,
  TRUNKLINE_METRICS_PORT: optionalPort,
  TRUNKLINE_PORT: optionalPort,
};

type CheckedConfig = ConfigOf<typeof checkedSettings>;

/** Settings as far as they can be used. */
export interface DoctorSettings {
  readonly environment: Environment;
  /** Without those that are missing or wrong, of which `problems` has a text each. */
  readonly config: { readonly [Name in keyof CheckedConfig]?: CheckedConfig[Name] };
  readonly storages: readonly StorageSetting[];
  readonly problems: readonly string[];
}

export type Environment = Readonly<NodeJS.ProcessEnv>;
export type DatabaseConfig = ConfigOf<typeof databaseSettings>;
export type BackupConfig = ConfigOf<typeof backupSettings>;
export type ProcessConfig = ConfigOf<typeof processSettings>;

/** Returns the variables that operators set for gateways and workers, which are those of this program, too. */
export function readEnvironment(): Environment {
  return process.env;
}

function reader<S extends Settings>(settings: S): (environment: Environment) => ConfigOf<S> {
  return (environment) => readConfig(settings, environment);
}

/** Reads the secrets of an environment; null where it has none. */
export function findSecretConfig(environment: Environment): ConfigOf<typeof secretSettings> | null {
  return environment['TRUNKLINE_SECRET'] ? readConfig(secretSettings, environment) : null;
}

export const readDatabaseConfig = reader(databaseSettings);
export const readProcessConfig = reader(processSettings);
export const readBackupConfig = reader(backupSettings);
export const readImportConfig = reader(importSettings);

/** Reads all settings that can be read. */
export function readDoctorSettings(environment: Environment): DoctorSettings {
  const problems: string[] = [];
  const attempt = <T>(read: () => T): T | undefined => {
    try {
      return read();
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error;
      problems.push(error.message);
      return undefined;
    }
  };
  const read = Object.entries(checkedSettings).map(([name, one]) =>
    attempt(() => readConfig({ [name]: one }, environment)),
  );
  const config: DoctorSettings['config'] = Object.assign({}, ...read);
  const isComplete = Object.keys(storageSettings).every((name) => name in config);
  const storages = isComplete ? attempt(() => readStorages(readConfig(storageSettings, environment))) : undefined;
  return { environment, config, storages: storages ?? [], problems };
}
