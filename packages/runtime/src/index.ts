export { answerBytesMax, isBrokenOff, messageBytesMax, type LargeAnswer } from './bus/large-answer.ts';
export { connectBus, type Bus } from './bus/bus.ts';
export { BusError, type BusErrorReason } from './bus/bus-error.ts';
export { BusProbeError, probeBus, type BusAttempts, type BusFacts } from './bus/probe-bus.ts';
export { parseServers } from './bus/server-options.ts';
export type { BusReply } from './bus/send-request.ts';
export type { Service } from './bus/serve-subject.ts';
export {
  clusterSettings,
  metricsPorts,
  migrateSettings,
  metricsPortSetting,
  sendsTraces,
} from './config/cluster-settings.ts';
export { dataClientSettings, dataServerSettings } from './config/data-settings.ts';
export { childMemorySetting, commandSettings, poolSettings } from './config/worker-settings.ts';
export { readStorages, storageSettings, storagesValue, type StorageSetting } from './config/storage-settings.ts';
export { ConfigError, readConfig } from './config/read-config.ts';
export {
  commandValue,
  flagValue,
  integerValue,
  listValue,
  optionalTextValue,
  setting,
  textValue,
  type ConfigOf,
  type Setting,
  type Settings,
} from './config/setting.ts';
export { checkDataPort } from './data/check-data-port.ts';
export { DataClient } from './data/data-client.ts';
export { DataError } from './data/data-error.ts';
export { readDataClientOptions, readDataServerOptions } from './data/data-options.ts';
export { startDataServer, type DataServer } from './data/data-server.ts';
export type { DataHandler, DataReply, DataRequest } from './data/serve-transfer.ts';
export { drawByWeight } from './draw-by-weight.ts';
export { answerWhileWaiting } from './health/answer-while-waiting.ts';
export { containErrors, type Answer } from './http/contain-errors.ts';
export { createProbe, type Probe } from './health/probe.ts';
export { announceReady, runMain, stopOnSignal, toOneLine } from './lifecycle.ts';
export { createLogger, takeOverConsole, type Logger } from './logger.ts';
export { addressAllowed } from './net/address-allowed.ts';
export { canonicalNetwork } from './net/canonical-network.ts';
export { toIpRange } from './net/ip-range.ts';
export { EndWatch, type Watched } from './operations/end-watch.ts';
export { isForeignHash } from './hash-kinds.ts';
export { hashPassword, verifyPassword } from './password.ts';
export { observeBus } from './metrics/bus-metrics.ts';
export { createCallMetrics, type CallMetrics } from './metrics/call-metrics.ts';
export { latencyBuckets } from './metrics/latency-buckets.ts';
export { observeCounter, observeGauge, type Series } from './metrics/observe.ts';
export { observeReadiness } from './metrics/readiness-metrics.ts';
export { serveMetrics } from './metrics/serve-metrics.ts';
export { serviceVersion } from './service-version.ts';
export { answerStateRequests, signState, verifiedState, type StateVault } from './state/answer-state.ts';
export { createClusterState, type ClusterState } from './state/cluster-states.ts';
export {
  processState,
  type ProcessIdentity,
  type RunningCalls,
  type RunningOperations,
} from './state/process-state.ts';
export {
  hasSpaceFor,
  probePath,
  probeStorage,
  unknownHealth,
  type ProbedStorage,
  type StorageHealth,
} from './storage/probe-storage.ts';
export { markerName, readMarker } from './storage/read-marker.ts';
export { RunningWork } from './state/running-work.ts';
export type { Span, SpanStart, Tracing } from './tracing/span.ts';
export { openTracing } from './tracing/tracing.ts';
