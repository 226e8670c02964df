import { clusterSettings, integerValue, listValue, readConfig, setting, textValue } from '@trunkline/runtime';
import * as v from 'valibot';
import { isNetwork } from './http/network.ts';

const networksValue = v.pipe(
  listValue,
  v.check((words) => words.every(isNetwork), 'must be networks such as 10.0.0.0/8, separated by commas'),
);

/** Every environment variable of the gateway; docs/running.md lists them. */
export const gatewaySettings = {
  ...clusterSettings,
  TRUNKLINE_HOST: setting(textValue, { default: '127.0.0.1', description: 'Address on which the API is served' }),
  TRUNKLINE_PORT: setting(integerValue(0, 65_535), {
    default: '5000',
    description: 'Port of the API; 0 takes a free one',
  }),
  TRUNKLINE_TRUSTED_PROXIES: setting(networksValue, {
    default: '',
    description: 'Networks (CIDR) of the proxies whose X-Forwarded-For is believed',
  }),
  TRUNKLINE_BODY_BYTES_MAX: setting(integerValue(1, 2 ** 26), {
    default: '1048576',
    description: 'Bytes that the body of one request may have',
  }),
};

export function readGatewayConfig() {
  return readConfig(gatewaySettings, process.env);
}
