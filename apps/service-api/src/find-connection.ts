import { rpcPath } from '@trunkline/contracts';
import { UsageError } from './client-error.ts';
import type { Config } from './config.ts';
import { type Connection, readConfigFile } from './config-file.ts';

/** Returns the URL of a service's API; throws UsageError when `apihost` is no http or https URL. */
export function endpointOf(apihost: string): URL {
  const url = URL.canParse(apihost) ? new URL(apihost) : undefined;
  if (url?.protocol !== 'http:' && url?.protocol !== 'https:') {
    throw new UsageError('Invalid apihost: expected http://<host> or https://<host>');
  }
  try {
    decodeURIComponent(`${url.username}:${url.password}`);
  } catch {
    throw new UsageError('Invalid apihost: a % in the name or password before @ has to be written as %25');
  }
  url.pathname = `${url.pathname.replace(/(?<!\/)\/+$/, '')}${rpcPath}`;
  return url;
}

/** Returns the address of a service as it is shown: without a password, or a name that may be a token. */
export function shownHost(apihost: string): string {
  const url = new URL(apihost);
  if (url.username === '' && url.password === '') return apihost;
  if (url.password === '') url.username = '*****';
  else url.password = '*****';
  return url.href.replace(/\/$/, '');
}

interface ConnectionOptions {
  readonly apihost?: string;
  readonly apikey?: string;
  readonly config?: string;
  readonly profile?: string;
}

type Given = { readonly [Name in keyof Connection]?: string | undefined };

function isSameService(one: string, other: string): boolean {
  try {
    return endpointOf(one).href === endpointOf(other).href;
  } catch {
    return one === other;
  }
}

async function readSaved(options: ConnectionOptions, config: Config): Promise<Partial<Connection>> {
  const path = options.config ?? config.configPath;
  const profile = options.profile ?? config.profile;
  if (path !== undefined) return readConfigFile(path, profile);
  if (profile === undefined) return {};
  throw new UsageError('Could not find a home directory, please specify --config');
}

/** Returns host and key, each from the first that has it; a saved key goes to the host that it was saved for only. */
function choose(order: readonly Given[], saved: Given): Connection {
  const apihost = order.find((one) => one.apihost)?.apihost;
  const ofKey = order.find((one) => one.apikey);
  if (apihost && ofKey === saved && saved.apihost && !isSameService(apihost, saved.apihost)) {
    throw new UsageError('The key in the config file was saved for another apihost: please specify --apikey');
  }
  if (apihost && ofKey?.apikey) return { apihost, apikey: ofKey.apikey };
  throw new UsageError('Could not find config file and missing --apikey or --apihost in params');
}

/**
 * Finds host and key, each in options, else in the environment, else in the configuration file. A profile that
 * `--profile` names is an option, too, and so comes before the environment. Throws UsageError when one is missing, and
 * when the key of the file was saved for another host, which must not get it.
 */
export async function findConnection(options: ConnectionOptions, config: Config): Promise<Connection> {
  const apihost = options.apihost ?? config.apihost;
  const apikey = options.apikey ?? config.apikey;
  if (apihost && apikey && options.profile === undefined) return { apihost, apikey };
  const saved = await readSaved(options, config);
  return choose(options.profile === undefined ? [options, config, saved] : [options, saved, config], saved);
}
