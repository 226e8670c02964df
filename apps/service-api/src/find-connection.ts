import { UsageError } from './client-error.ts';
import type { Config } from './config.ts';
import { readConfigFile } from './config-file.ts';
import type { Connection } from './connection.ts';
import { endpointOf } from './endpoint.ts';

interface ConnectionOptions {
  readonly apihost?: string;
  readonly apikey?: string;
  readonly config?: string;
}

function isSameService(one: string, other: string): boolean {
  try {
    return endpointOf(one).href === endpointOf(other).href;
  } catch {
    return one === other;
  }
}

/**
 * Finds host and key, each in options, else in the environment, else in the configuration file. Throws UsageError when
 * one is missing, and when the key of the file was saved for another host, which must not get it.
 */
export async function findConnection(options: ConnectionOptions, config: Config): Promise<Connection> {
  const apihost = options.apihost ?? config.apihost;
  const apikey = options.apikey ?? config.apikey;
  if (apihost && apikey) return { apihost, apikey };

  const path = options.config ?? config.configPath;
  const saved = path === undefined ? {} : await readConfigFile(path);
  if (!apikey && saved.apikey && apihost && saved.apihost && !isSameService(apihost, saved.apihost)) {
    throw new UsageError('The key in the config file was saved for another apihost: please specify --apikey');
  }
  const found = { apihost: apihost ?? saved.apihost, apikey: apikey ?? saved.apikey };
  if (found.apihost && found.apikey) return { apihost: found.apihost, apikey: found.apikey };
  throw new UsageError('Could not find config file and missing --apikey or --apihost in params');
}
