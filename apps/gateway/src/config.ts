import {
  clusterSettings,
  dataClientSettings,
  flagValue,
  integerValue,
  listValue,
  metricsPortSetting,
  optionalTextValue,
  readConfig,
  setting,
  textValue,
} from '@trunkline/runtime';
import * as v from 'valibot';
import { isNetwork } from './http/network.ts';

const networksValue = v.pipe(
  listValue,
  v.check((words) => words.every(isNetwork), 'must be networks such as 10.0.0.0/8, separated by commas'),
);

const directoryUrlValue = v.pipe(
  optionalTextValue,
  v.check(
    (url) => url === null || (/^ldaps?:\/\/[^/@]+\/?$/.test(url) && URL.canParse(url)),
    'must be ldap:// or ldaps:// with a host and optionally a port',
  ),
);

/** Returns whether a text is a scheme, a host and perhaps a port: paths, queries and logins would end up in links. */
function isBaseUrl(text: string): boolean {
  if (!/^https?:\/\/[^/\s]+\/?$/i.test(text) || !URL.canParse(text)) return false;
  const { username, password, pathname, search, hash } = new URL(text);
  return username + password + search + hash === '' && pathname === '/' && !/[@?#\\]/.test(text);
}

const baseUrlValue = v.pipe(
  v.string(),
  v.check((text) => text === '' || isBaseUrl(text), 'must be a URL such as https://code.example.com'),
);

/** Every environment variable of the gateway; docs/running/settings.md lists them. */
export const gatewaySettings = {
  ...clusterSettings,
  ...dataClientSettings,
  TRUNKLINE_METRICS_PORT: metricsPortSetting('gateway'),
  TRUNKLINE_HOST: setting(textValue, { default: '127.0.0.1', description: 'Address on which the API is served' }),
  TRUNKLINE_PORT: setting(integerValue(0, 65_535), {
    default: '5000',
    description: 'Port of the API; 0 chooses a free port',
  }),
  TRUNKLINE_DRAIN_SECONDS: setting(integerValue(0, 3_600), {
    default: '5',
    description:
      'Seconds for which a gateway that was told to stop still accepts requests, while /readyz is 503 and load balancers take it out; 0 without a load balancer',
  }),
  TRUNKLINE_GATEWAY_CONNECTIONS: setting(integerValue(1, 1_000), {
    default: '3',
    description: 'Maximum connections of a gateway to Postgres',
  }),
  TRUNKLINE_TRUSTED_PROXIES: setting(networksValue, {
    default: '',
    description: 'Networks (CIDR) of the proxies whose X-Forwarded-For and X-Forwarded-Proto are trusted',
  }),
  TRUNKLINE_BODY_BYTES_MAX: setting(integerValue(1, 2 ** 26), {
    default: '1048576',
    description: 'Maximum size of a request body in bytes',
  }),
  TRUNKLINE_PENDING_BODY_BYTES_MAX: setting(integerValue(2 ** 20, 2 ** 33), {
    default: '67108864',
    description:
      'Bytes of memory of a gateway for request bodies that are not complete, without a valid key, and as many with one',
  }),
  TRUNKLINE_HTTP_CONNECTIONS_MAX: setting(integerValue(10, 1_000_000), {
    default: '5000',
    description:
      'Maximum HTTP connections of a gateway at once, and of one address half as many unless it is a trusted proxy; further ones are closed without an answer',
  }),
  TRUNKLINE_TRACEPARENT: setting(v.picklist(['ignore', 'link', 'parent'], 'must be ignore, link or parent'), {
    default: 'ignore',
    description:
      'What becomes of the trace context (`traceparent`) of clients: `ignore`, a `link` from the trace of the request, or the `parent` of it, which then also decides whether the request is traced',
  }),
  TRUNKLINE_RATE_LIMIT: setting(integerValue(0, 100_000), {
    default: '0',
    description: 'Maximum calls per second with one API key on each gateway; 0 for no limit',
  }),
  TRUNKLINE_RATE_LIMIT_BURST: setting(integerValue(1, 100_000), {
    default: '100',
    description: 'Calls that may arrive in a burst before TRUNKLINE_RATE_LIMIT applies',
  }),
  TRUNKLINE_ANONYMOUS_RATE_LIMIT: setting(integerValue(0, 100_000), {
    default: '200',
    description:
      'Maximum requests per second of git and Mercurial clients without a login from one address, of IPv6 from a /64, on each gateway; 0 for no limit',
  }),
  TRUNKLINE_ANONYMOUS_RATE_LIMIT_BURST: setting(integerValue(1, 100_000), {
    default: '2000',
    description: 'Such requests that may arrive in a burst before TRUNKLINE_ANONYMOUS_RATE_LIMIT applies',
  }),
  TRUNKLINE_SESSION_HOURS: setting(integerValue(1, 336), {
    default: '24',
    description: 'Hours without a request after which a session ends; every session ends after 14 days',
  }),
  TRUNKLINE_LDAP_URL: setting(directoryUrlValue, {
    default: '',
    description: 'LDAP server (ldap:// or ldaps://) that alone checks the passwords of users with an ldap_dn',
  }),
  TRUNKLINE_LDAP_START_TLS: setting(flagValue, {
    default: 'false',
    description: 'Whether an ldap:// connection is upgraded to TLS before a password is sent',
  }),
  TRUNKLINE_LDAP_CA_FILE: setting(optionalTextValue, {
    default: '',
    description: 'File of certificates (PEM) that are trusted for the LDAP server, instead of those of Node.js',
  }),
  TRUNKLINE_BASE_URL: setting(baseUrlValue, {
    default: '',
    description:
      'Public base URL of the service, for links in feeds and clone addresses; when empty, it is taken from the request',
  }),
  TRUNKLINE_API_ACCESS_CONTROLLERS_WHITELIST: setting(listValue, {
    default: '',
    description:
      'Views that accept an API key in addition to the feeds, as ControllerName:view_name, separated by commas',
  }),
  TRUNKLINE_ANONYMOUS_VIEWING: setting(flagValue, {
    default: 'false',
    description: 'Whether visitors who are not signed in see what the user `default` can read',
  }),
};

export function readGatewayConfig() {
  return readConfig(gatewaySettings, process.env);
}

export type GatewayConfig = ReturnType<typeof readGatewayConfig>;
