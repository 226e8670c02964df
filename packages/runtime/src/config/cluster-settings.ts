import * as v from 'valibot';
import { integerValue, listValue, setting, textValue } from './setting.ts';

const logLevels = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const;

const secretCharsMin = 32;

const oldSecretsValue = v.pipe(
  listValue,
  v.check(
    (secrets) => secrets.every(({ length }) => length >= secretCharsMin),
    `must each have at least ${secretCharsMin} characters`,
  ),
);

/** The settings of every process of a cluster. */
export const clusterSettings = {
  TRUNKLINE_DATABASE_URL: setting(textValue, {
    default: null,
    description: 'Postgres, as postgres://user:password@host:port/database',
  }),
  TRUNKLINE_NATS_URL: setting(textValue, {
    default: null,
    description: 'NATS servers as nats://user:password@host:port, separated by commas',
  }),
  TRUNKLINE_SECRET: setting(
    v.pipe(v.string(), v.minLength(secretCharsMin, `must have at least ${secretCharsMin} characters`)),
    {
      default: null,
      description: 'Seals API keys and remote passwords; the same for every gateway and worker',
    },
  ),
  TRUNKLINE_OLD_SECRETS: setting(oldSecretsValue, {
    default: '',
    description:
      'Further secrets, separated by commas, under which keys, passwords and sessions are read, never written',
  }),
  TRUNKLINE_SITE_NAME: setting(textValue, {
    default: 'Trunkline',
    description: 'What pages and feeds call the service',
  }),
  TRUNKLINE_TRANSFER_TIMEOUT: setting(integerValue(1, 86_400), {
    default: '3600',
    description: 'Seconds that one import or pull may take',
  }),
  TRUNKLINE_METRICS_HOST: setting(textValue, {
    default: '127.0.0.1',
    description: 'Address on which metrics are served, and the health of workers',
  }),
  TRUNKLINE_METRICS_PORT: setting(integerValue(0, 65_535), {
    default: '0',
    description: 'Port of /metrics and /healthz, in workers also of /readyz; 0 takes a free one',
  }),
  TRUNKLINE_LOG_LEVEL: setting(v.picklist(logLevels, 'must be a log level'), {
    default: 'info',
    description: 'The least important messages that are logged',
  }),
};
