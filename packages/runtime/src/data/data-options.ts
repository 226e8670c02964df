import { readFile } from 'node:fs/promises';
import { ConfigError } from '../config/read-config.ts';
import type { dataClientSettings, dataServerSettings } from '../config/data-settings.ts';
import type { ConfigOf } from '../config/setting.ts';
import type { DataClientOptions } from './data-client.ts';
import type { DataServerOptions } from './data-server.ts';

const anyAddress = new Set(['0.0.0.0', '::']);

async function readPem(name: string, path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch (cause) {
    throw new ConfigError(`${name} cannot be read`, { cause });
  }
}

/** Reads the certificate of a data port and checks that its settings fit together; throws ConfigError. */
export async function readDataServerOptions(
  settings: ConfigOf<typeof dataServerSettings>,
): Promise<Pick<DataServerOptions, 'host' | 'port' | 'url' | 'tls'>> {
  const { TRUNKLINE_DATA_HOST: host, TRUNKLINE_DATA_PORT: port, TRUNKLINE_DATA_URL: url } = settings;
  const { TRUNKLINE_DATA_TLS_CERT: cert, TRUNKLINE_DATA_TLS_KEY: key } = settings;
  if (url === null && anyAddress.has(host)) {
    throw new ConfigError('TRUNKLINE_DATA_URL must be set, since others cannot connect to TRUNKLINE_DATA_HOST');
  }
  if ((cert === null) !== (key === null)) {
    throw new ConfigError('TRUNKLINE_DATA_TLS_CERT and TRUNKLINE_DATA_TLS_KEY must be set together');
  }
  // Without a certificate here, a proxy in front may have one.
  if (cert !== null && url !== null && !url.startsWith('https:')) {
    throw new ConfigError('TRUNKLINE_DATA_URL must begin with https:, since there is a certificate');
  }
  if (cert === null || key === null) return { host, port, url, tls: null };
  const certText = await readPem('TRUNKLINE_DATA_TLS_CERT', cert);
  return { host, port, url, tls: { cert: certText, key: await readPem('TRUNKLINE_DATA_TLS_KEY', key) } };
}

/** Reads the certificates that are trusted for data ports; throws ConfigError. */
export async function readDataClientOptions(
  settings: ConfigOf<typeof dataClientSettings>,
): Promise<Pick<DataClientOptions, 'networks' | 'ca'>> {
  const { TRUNKLINE_DATA_NETWORKS: networks, TRUNKLINE_DATA_TLS_CA: ca } = settings;
  return { networks, ca: ca === null ? null : await readPem('TRUNKLINE_DATA_TLS_CA', ca) };
}
