import { join } from 'node:path';

export interface Config {
  readonly apihost: string | undefined;
  readonly apikey: string | undefined;
  /** Where the configuration file is when no option says otherwise; undefined for a user without a home. */
  readonly configPath: string | undefined;
}

function findConfigPath(env: NodeJS.ProcessEnv): string | undefined {
  const home = env['HOME'] || env['USERPROFILE'];
  return home ? join(home, '.config', 'trunkline') : undefined;
}

export function readConfig(env: NodeJS.ProcessEnv = process.env): Config {
  return {
    apihost: env['TRUNKLINE_APIHOST'] || undefined,
    apikey: env['TRUNKLINE_APIKEY'] || undefined,
    configPath: findConfigPath(env),
  };
}
