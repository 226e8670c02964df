export * from './errors.ts';
export { argValues, requiredMark, type Arg, type ArgsOf, type ArgSpecs } from './args/arg.ts';
export { entityRef, type EmailAddress, type EntityRef } from './args/schemas.ts';
export { describePermission, describeShape } from './describe-method.ts';
export { requestMembers, rpcPath, type ReplyEnvelope } from './envelope.ts';
export {
  decodeError,
  encodeError,
  encodeResult,
  errorHeader,
  offerHeader,
  rawJson,
  type WorkerReply,
} from './messages/worker-reply.ts';
export {
  isLevelName,
  keyLimits,
  keyRepositoriesMax,
  levelName,
  levels,
  limitedKeyText,
  reaches,
  type KeyLimit,
  type LevelName,
} from './rights.ts';
export { busyMsOf, isHeldLong, laneNames, lanes, type Lane } from './lanes.ts';
export {
  decodeWorkerRequest,
  encodeWorkerRequest,
  isCorrelationId,
  joinSignature,
  readFormat,
  splitSignature,
  type Caller,
  type Correlation,
  type FormatReaders,
  type WorkerRequest,
} from './messages/worker-request.ts';
export { Content, contentOf, encodeContentHead, splitContentHead } from './messages/content.ts';
export {
  CheckedCopy,
  CopyRequest,
  copyResultIn,
  encodeCopyBody,
  PublishedCopy,
  SnapshotHead,
  SnapshotRequest,
  type CopyAction,
} from './messages/tree-requests.ts';
export { decodeAnswerOffer, decodeDataOffer, encodeAnswerOffer, type DataOffer } from './messages/data-offer.ts';
export {
  decodeCallersChanged,
  decodeOperationEnded,
  decodeReadIds,
  encodeCallersChanged,
  encodeOperationEnded,
  encodeReadIds,
  readIdsMax,
} from './messages/notices.ts';
export {
  decodeState,
  encodeState,
  stateBytesMax,
  stateRequestIdOf,
  statesListedMax,
  type ProcessState,
} from './messages/process-state.ts';
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
export { mapSecretArgs, parseArgs, sentArgs } from './parse-args.ts';
export type { AuditRecord } from './methods/audit.ts';
export type { OperationRecord, PulledRecord } from './methods/operations.ts';
export type { ApiKeyRecord } from './methods/api-keys.ts';
export type { ConsistencyRecord, StorageState } from './methods/diagnostics.ts';
export type { DeletedRepositoryRecord, LeftOutRecord } from './methods/deleted-repositories.ts';
export { DefaultPermissionsRecord } from './methods/global-permissions.ts';
export type { HistoryRecord, RefsRecord } from './methods/changesets.ts';
export { cursorOfHistory, type LineOrigin, type PathChange } from './methods/file-history.ts';
export type { ActivityRecord } from './views/feeds.ts';
export type { IpRecord } from './methods/users.ts';
export type { StorageRecord } from './methods/storages.ts';
export type { RepoGroupRecord } from './methods/repo-groups.ts';
export type {
  BriefChangeset,
  ChangesetRecord,
  RepositoryDetailsRecord,
  RepositoryRecord,
  RepositoryWithChangesetRecord,
} from './records/repository.ts';
export { toChangesetDate, toTimestamp } from './records/parts.ts';
export type { EmbeddedUserRecord, FullUserRecord, PermissionsRecord, UserRecord } from './records/user.ts';
export type { UserGroupRecord } from './methods/user-groups.ts';
export {
  groupNames,
  lastSegment,
  nameCharsMax,
  passwordCharsMin,
  passwordProblem,
  repositoryNameProblem,
  userGroupNameProblem,
  usernameProblem,
} from './names.ts';
export { sizeText } from './size-text.ts';
export { busPermissions, gatewayInboxes, StorageName, subjects, workerInboxes, workerQueueGroup } from './subjects.ts';
export type { ListedUser, ListedUserGroup } from './views/admin.ts';
export type { ListedRepository } from './views/browse.ts';
export { shownEntriesMax } from './views/files-page.ts';
export type { MemberCursor } from './views/people.ts';
export type { DescribedRefRecord } from './views/browse-refs.ts';
export type { NameMeaning, RefRecord } from './views/refs.ts';
export { served, views, type Served, type ServedName } from './views/index.ts';
export {
  hgCapsCharsMax,
  HgMediaType,
  hgPushArgsBytesMax,
  hgPushCommands,
  hgReadCommands,
  vcsBodyBytesMax,
  VcsAnswerHead,
  type HgPushCommand,
  type HgReadCommand,
  type VcsPushRequest,
  type VcsReadRequest,
} from './views/vcs-http.ts';
