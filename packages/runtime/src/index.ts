export { answerBytesMax, isBrokenOff, messageBytesMax, type LargeAnswer } from './bus/large-answer.ts';
export { connectBus, type Bus } from './bus/bus.ts';
export { BusError, type BusErrorReason } from './bus/bus-error.ts';
export { BusProbeError, probeBus, type BusAttempts, type BusFacts } from './bus/probe-bus.ts';
export { parseServers } from './bus/servers.ts';
export type { BusReply } from './bus/send-request.ts';
export type { Service } from './bus/serve-subject.ts';
export {
  clusterSettings,
  metricsPorts,
  metricsPortSetting,
  migrateSettings,
  sendsTraces,
} from './config/cluster-settings.ts';
export {
  dataClientSettings,
  dataServerSettings,
  readDataClientOptions,
  readDataServerOptions,
} from './config/data-settings.ts';
export {
  childMemorySetting,
  commandSettings,
  poolSettings,
  readStorages,
  storageSettings,
  storagesValue,
  type StorageSetting,
} from './config/worker-settings.ts';
export {
  commandValue,
  ConfigError,
  flagValue,
  integerValue,
  listValue,
  optionalTextValue,
  readConfig,
  setting,
  textValue,
  type ConfigOf,
  type Setting,
  type Settings,
} from './config/setting.ts';
export { checkDataPort, DataClient } from './data/data-client.ts';
export { DataError, type DataErrorReason } from './data/data-protocol.ts';
export { startDataServer, type DataServer } from './data/data-server.ts';
export type { DataHandler, DataReply, DataRequest } from './data/serve-transfer.ts';
export { sampleByWeight } from './sample-by-weight.ts';
export { answerWhileWaiting, createProbe, type Probe } from './health.ts';
export { containErrors, type Answer } from './contain-errors.ts';
export { announceReady, runMain, stopOnSignal, toOneLine } from './lifecycle.ts';
export { createLogger, takeOverConsole, type Logger } from './logger.ts';
export { isTextType, mediaTypeOf } from './media-types.ts';
export { addressAllowed, canonicalNetwork, toIpRange } from './networks.ts';
export { EndWatch, type Watched } from './end-watch.ts';
export { isForeignHash } from './hash-kinds.ts';
export { hashPassword, verifyPassword } from './password.ts';
export { observeBus, observeReadiness } from './metrics/process-metrics.ts';
export { createCallMetrics, type CallMetrics } from './metrics/call-metrics.ts';
export { latencyBuckets, observeCounter, observeGauge, type Series } from './metrics/observe.ts';
export { serveMetrics } from './metrics/serve-metrics.ts';
export { serviceVersion } from './service-version.ts';
export {
  answerStateRequests,
  processState,
  RunningWork,
  signState,
  verifiedState,
  type ProcessIdentity,
  type RunningCalls,
  type RunningOperations,
  type StateVault,
} from './state/process-state.ts';
export { createClusterState, type ClusterState } from './state/cluster-states.ts';
export {
  hasSpaceFor,
  markerName,
  probePath,
  probeStorage,
  readMarker,
  unknownHealth,
  type ProbedStorage,
  type StorageHealth,
} from './probe-storage.ts';
export type { Span, SpanStart, Tracing } from './tracing/span.ts';
export { openTracing } from './tracing/tracing.ts';
