import * as v from 'valibot';
import { isTextEncoding, textEncodingsDefault } from '../text/decode-text.ts';
import { integerValue, listValue, optionalTextValue, setting, textValue, type ConfigOf } from './setting.ts';

const logLevels = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const;

const secretCharsMin = 32;

const oldSecretsValue = v.pipe(
  listValue,
  v.check(
    (secrets) => secrets.every(({ length }) => length >= secretCharsMin),
    `must each have at least ${secretCharsMin} characters`,
  ),
);

const collectorValue = v.pipe(
  optionalTextValue,
  v.check(
    (url) => url === null || (/^https?:/i.test(url) && URL.canParse(url)),
    'must be a URL such as http://127.0.0.1:4318',
  ),
);

const textEncodingsMax = 8;

const textEncodingsValue = v.pipe(
  listValue,
  v.maxLength(textEncodingsMax, `must not name more than ${textEncodingsMax} encodings`),
  v.check((names) => names.every(isTextEncoding), 'must name known encodings that extend ASCII'),
);

/** Ports of metrics: those of `npm start` follow them, so that one configuration of Prometheus serves for both. */
export const metricsPorts = { gateway: 5_100, worker: 5_120 };

/** The port on which a process serves its metrics; the default differs, for gateways and workers of one machine. */
export function metricsPortSetting(role: keyof typeof metricsPorts) {
  return setting(integerValue(0, 65_535), {
    default: String(metricsPorts[role]),
    description:
      `Port of /metrics and /healthz, in workers also of /readyz: ${metricsPorts.gateway} for gateways and ` +
      `${metricsPorts.worker} for workers unless it is set; 0 chooses a free port`,
  });
}

/** The settings of every process of a cluster. */
export const clusterSettings = {
  TRUNKLINE_DATABASE_URL: setting(textValue, {
    default: null,
    description: 'Postgres, as postgres://user:password@host:port/database',
  }),
  TRUNKLINE_MIGRATE_URL: setting(optionalTextValue, {
    default: '',
    description:
      'Postgres as the role that owns the schema, in the same form: the process migrates with it at its start; when empty, a process whose own role is the owner migrates, and any other waits for the schema',
  }),
  TRUNKLINE_GATEWAY_ROLE: setting(textValue, {
    default: 'trunkline_gateway',
    description: 'Postgres role of gateways, to which a process that migrates gives the rights that gateways need',
  }),
  TRUNKLINE_WORKER_ROLE: setting(textValue, {
    default: 'trunkline_worker',
    description: 'Postgres role of workers, to which a process that migrates gives the rights that workers need',
  }),
  TRUNKLINE_NATS_URL: setting(textValue, {
    default: null,
    description: 'NATS servers as nats://user:password@host:port, separated by commas; tls:// demands TLS',
  }),
  TRUNKLINE_SECRET: setting(
    v.pipe(v.string(), v.minLength(secretCharsMin, `must have at least ${secretCharsMin} characters`)),
    {
      default: null,
      description: 'Encrypts API keys and remote passwords; must be the same for every gateway and worker',
    },
  ),
  TRUNKLINE_OLD_SECRETS: setting(oldSecretsValue, {
    default: '',
    description: 'Former secrets, separated by commas, with which API keys, passwords and sessions can still be read',
  }),
  TRUNKLINE_SITE_NAME: setting(textValue, {
    default: 'Trunkline',
    description: 'Name of the service on pages and in feeds',
  }),
  TRUNKLINE_TEXT_ENCODINGS: setting(textEncodingsValue, {
    default: textEncodingsDefault,
    description:
      'Encodings that are tried, in this order, for texts of repositories that are not UTF-8 and do not say what they are, such as `gbk,windows-1252`; `chardet` guesses by the text, and the last one is taken where none fits',
  }),
  TRUNKLINE_TRANSFER_TIMEOUT: setting(integerValue(1, 86_400), {
    default: '3600',
    description: 'Maximum seconds that one import, pull, clone or push may take',
  }),
  TRUNKLINE_STOP_SECONDS: setting(integerValue(1, 86_400), {
    default: '15',
    description:
      'Seconds that a process which was told to stop gives running requests, clones and pushes; it ends 10 s later at the latest',
  }),
  TRUNKLINE_PUSH_BYTES_MAX: setting(integerValue(1, 2 ** 46), {
    default: '2147483648',
    description: 'Maximum bytes of one push',
  }),
  TRUNKLINE_STORAGE_FREE_BYTES_MIN: setting(integerValue(0, 2 ** 50), {
    default: '1073741824',
    description:
      'Free bytes below which a storage is full, as it also is below 1 % of its size: it gets no new repositories then; 0 turns both limits off',
  }),
  TRUNKLINE_METRICS_HOST: setting(textValue, {
    default: '127.0.0.1',
    description: 'Address on which metrics and the health of workers are served',
  }),
  TRUNKLINE_LOG_LEVEL: setting(v.picklist(logLevels, 'must be a log level'), {
    default: 'info',
    description: 'Lowest level of the messages that are logged',
  }),
  OTEL_EXPORTER_OTLP_ENDPOINT: setting(collectorValue, {
    default: '',
    description:
      'Base URL of a collector of traces (OTLP over HTTP, JSON); without it and the next one, nothing is traced',
  }),
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: setting(collectorValue, {
    default: '',
    description: 'Whole URL to which traces are sent, instead of `/v1/traces` below the base URL',
  }),
};

/** The settings of a program that migrates the schema and does nothing else. */
export const migrateSettings = {
  TRUNKLINE_MIGRATE_URL: setting(textValue, {
    default: null,
    description: 'Postgres as the role that owns the schema, as postgres://user:password@host:port/database',
  }),
  TRUNKLINE_GATEWAY_ROLE: clusterSettings.TRUNKLINE_GATEWAY_ROLE,
  TRUNKLINE_WORKER_ROLE: clusterSettings.TRUNKLINE_WORKER_ROLE,
};

/** Returns whether a collector of traces is configured. */
export function sendsTraces(
  config: Pick<ConfigOf<typeof clusterSettings>, 'OTEL_EXPORTER_OTLP_ENDPOINT' | 'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT'>,
): boolean {
  return config.OTEL_EXPORTER_OTLP_ENDPOINT !== null || config.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT !== null;
}
