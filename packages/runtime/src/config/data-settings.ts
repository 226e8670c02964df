import { readFile } from 'node:fs/promises';
import * as v from 'valibot';
import { isNetwork } from '../networks.ts';
import {
  ConfigError,
  type ConfigOf,
  integerValue,
  listValue,
  optionalTextValue,
  setting,
  textValue,
} from './setting.ts';
import type { DataClientOptions } from '../data/data-client.ts';
import type { DataServerOptions } from '../data/data-server.ts';

const urlValue = v.pipe(
  optionalTextValue,
  v.check(
    (url) => url === null || (/^https?:\/\/[^/?#@\\\s]{1,280}$/.test(url) && URL.canParse(url)),
    'must be a URL such as http://10.0.0.7:7000, without a path',
  ),
);

const networksValue = v.pipe(
  listValue,
  v.minLength(1, 'must name at least one network'),
  v.check((words) => words.every(isNetwork), 'must be networks such as 10.0.0.0/8, separated by commas'),
);

/** The settings of a process that has a data port. */
export const dataServerSettings = {
  TRUNKLINE_DATA_HOST: setting(textValue, {
    default: '127.0.0.1',
    description: 'Address of the data port, over which gateways and other workers transfer bytes',
  }),
  TRUNKLINE_DATA_PORT: setting(integerValue(0, 65_535), {
    default: '0',
    description: 'The data port; 0 chooses a free port',
  }),
  TRUNKLINE_DATA_URL: setting(urlValue, {
    default: '',
    description: 'URL at which others reach the data port; when empty, that of TRUNKLINE_DATA_HOST and the port',
  }),
  TRUNKLINE_DATA_TLS_CERT: setting(optionalTextValue, {
    default: '',
    description: 'File with the certificate (PEM) of the data port, which then speaks HTTPS',
  }),
  TRUNKLINE_DATA_TLS_KEY: setting(optionalTextValue, {
    default: '',
    description: 'File with the key (PEM) of that certificate',
  }),
};

/** The settings of a process that opens transfers to data ports. */
export const dataClientSettings = {
  TRUNKLINE_DATA_NETWORKS: setting(networksValue, {
    default: '127.0.0.0/8,::1',
    description: 'Networks (CIDR) of the data ports of workers; connections are opened to no other address',
  }),
  TRUNKLINE_DATA_TLS_CA: setting(optionalTextValue, {
    default: '',
    description: 'File of certificates (PEM) that are trusted for data ports, instead of those of Node.js',
  }),
};

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
