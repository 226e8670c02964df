import * as v from 'valibot';
import { isNetwork } from '../net/address-allowed.ts';
import { integerValue, listValue, optionalTextValue, setting, textValue } from './setting.ts';

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
