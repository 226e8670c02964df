import { join } from 'node:path';

export interface Config {
  readonly apihost: string | undefined;
  readonly apikey: string | undefined;
  /** Profile of the configuration file that is used unless an option names another. */
  readonly profile: string | undefined;
  /** Default path of the configuration file; undefined for a user without a home directory. */
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
    profile: env['TRUNKLINE_PROFILE'] || undefined,
    configPath: findConfigPath(env),
  };
}
