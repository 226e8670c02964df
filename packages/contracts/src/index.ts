export { type Arg, type ArgsOf, type ArgSpecs, argValues, requiredMark } from './args/arg.ts';
export { type EmailAddress, type EntityRef, entityRef } from './args/schemas.ts';
export { describePermission } from './describe-permission.ts';
export { describeShape } from './describe-shape.ts';
export { requestMembers, rpcPath, type ReplyEnvelope } from './envelope.ts';
export { toRpcError } from './error-wire.ts';
export * from './errors.ts';
export { keyLimits, keyRepositoriesMax, limitedKeyText, type KeyLimit } from './limited-key.ts';
export { busyMsOf, isHeldLong, laneNames, lanes, type Lane } from './lanes.ts';
export { isLevelName, levelName, levels, reaches, type LevelName } from './level.ts';
export { isCorrelationId, type Correlation } from './messages/correlation.ts';
export { Content, contentOf, encodeContentHead, splitContentHead } from './messages/content.ts';
export {
  CheckedCopy,
  copyResultIn,
  CopyRequest,
  encodeCopyBody,
  PublishedCopy,
  SnapshotHead,
  SnapshotRequest,
  type CopyAction,
} from './messages/tree-requests.ts';
export { decodeAnswerOffer, decodeDataOffer, encodeAnswerOffer, type DataOffer } from './messages/data-offer.ts';
export { rawJson } from './messages/raw-json.ts';
export {
  decodeError,
  encodeError,
  encodeResult,
  errorHeader,
  offerHeader,
  type WorkerReply,
} from './messages/worker-reply.ts';
export {
  decodeCallersChanged,
  decodeOperationEnded,
  decodeReadIds,
  encodeCallersChanged,
  encodeOperationEnded,
  encodeReadIds,
  readIdsMax,
} from './messages/notices.ts';
export { readFormat, type FormatReaders } from './messages/read-format.ts';
export {
  decodeState,
  encodeState,
  stateBytesMax,
  stateRequestIdOf,
  statesListedMax,
  type ProcessState,
} from './messages/process-state.ts';
export { joinSignature, splitSignature } from './messages/signed-command.ts';
export {
  decodeWorkerRequest,
  encodeWorkerRequest,
  type Caller,
  type WorkerRequest,
} from './messages/worker-request.ts';
export {
  endsWithClient,
  routeOf,
  type Access,
  type ArgsOfMethod,
  type GlobalPermission,
  type Method,
  type Permission,
  type ResultOfMethod,
  type Route,
} from './method.ts';
export { findMethod, methods, type MethodName, type Methods } from './methods/index.ts';
export { resources } from './methods/resources.ts';
export { mapSecretArgs } from './map-secret-args.ts';
export { parseArgs, sentArgs } from './parse-args.ts';
export type { AuditRecord, OperationRecord } from './records/operation.ts';
export type { ApiKeyRecord } from './records/api-key.ts';
export type { ConsistencyRecord } from './records/consistency.ts';
export type { DeletedRepositoryRecord, LeftOutRecord } from './records/deleted-repository.ts';
export { DefaultPermissionsRecord } from './records/default-permissions.ts';
export type { HistoryRecord, RefsRecord } from './records/changeset.ts';
export type { ActivityRecord } from './records/activity.ts';
export type { IpRecord } from './records/ip.ts';
export type { StorageState } from './records/server-info.ts';
export type { StorageRecord } from './records/storage.ts';
export type { RepoGroupRecord } from './records/repo-group.ts';
export type {
  ChangesetRecord,
  RepositoryDetailsRecord,
  RepositoryRecord,
  RepositoryWithChangesetRecord,
} from './records/repository.ts';
export { toChangesetDate, toTimestamp } from './records/timestamp.ts';
export type { EmbeddedUserRecord, FullUserRecord, PermissionsRecord, UserRecord } from './records/user.ts';
export type { UserGroupRecord } from './records/user-group.ts';
export { groupNames, lastSegment, nameCharsMax, repositoryNameProblem } from './repository-name.ts';
export { userGroupNameProblem } from './user-group-name.ts';
export { usernameProblem } from './username.ts';
export { busPermissions, gatewayInboxes, StorageName, subjects, workerInboxes, workerQueueGroup } from './subjects.ts';
export type { ListedUser, ListedUserGroup } from './views/admin.ts';
export type { BriefChangeset, ListedRepository } from './views/browse.ts';
export type { MemberCursor } from './views/people.ts';
export type { RefRecord } from './views/refs.ts';
export { served, views, type Served, type ServedName } from './views/index.ts';
export {
  HgMediaType,
  hgCapsCharsMax,
  hgPushArgsBytesMax,
  hgPushCommands,
  hgReadCommands,
  WireHead,
  wireBodyBytesMax,
  type HgPushCommand,
  type HgReadCommand,
  type WirePushRequest,
  type WireRequest,
} from './views/wire.ts';
