import { ConfigError, migrateSettings, readConfig } from '@trunkline/runtime';
import { gatewaySettings } from '../../apps/gateway/src/config.ts';
import { readDataServerOptions } from '../../packages/runtime/src/config/data-settings.ts';
import { readWorkerConfig, workerSettings } from '../../apps/vcs-worker/src/config.ts';

export type Role = 'gateway' | 'vcs-worker' | 'migrate';

const settings = { gateway: gatewaySettings, 'vcs-worker': workerSettings, migrate: migrateSettings };
/** Variables of Node.js, of the C library, and of the manifests themselves. */
const others = new Set([
  'NODE_ENV',
  'NODE_OPTIONS',
  'UV_THREADPOOL_SIZE',
  'MALLOC_ARENA_MAX',
  'MALLOC_TRIM_THRESHOLD_',
  'POD',
  'POD_IP',
  'STORAGE',
]);

async function read(role: Role, env: Readonly<Record<string, string>>): Promise<void> {
  if (role !== 'vcs-worker')
    return void readConfig<typeof settings.gateway>(settings[role] as typeof settings.gateway, env);
  await readDataServerOptions(readWorkerConfig(env));
}

/** Returns what is wrong with the environment of a process: variables that it does not read, and wrong values. */
export async function settingProblems(role: Role, env: Readonly<Record<string, string>>): Promise<readonly string[]> {
  const unknown = Object.keys(env).filter((name) => !others.has(name) && !Object.hasOwn(settings[role], name));
  const wrong = await read(role, env).then(
    () => [],
    (error: unknown) => {
      if (error instanceof ConfigError) return [error.message];
      throw error;
    },
  );
  return [...unknown.map((name) => `${role} reads no ${name}`), ...wrong];
}
