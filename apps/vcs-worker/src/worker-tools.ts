import type { SecretVault } from '@trunkline/db';
import type { Logger } from '@trunkline/runtime';
import type { StreamSlices } from './serve/admission/stream-slices.ts';
import type { RepositoryAccess } from './authz/authorize.ts';
import type { FeedSettings, RepositoryFeeds } from './domain/feed/repository-feed.ts';
import type { EndedOperation, OperationKind } from './jobs/operations/claimed-operation.ts';
import type { FetchCounts } from './vcs-http/fetches/fetch-counts.ts';
import type { ContentCaches } from './cache/content-caches.ts';
import type { LastChangesCache } from './cache/last-changes-cache.ts';
import type { ReplyCache } from './cache/reply-cache.ts';
import type { Storages } from './storage/storages.ts';
import type { VcsBackend } from './vcs/backend.ts';
import type { Vcs } from './vcs/create-vcs.ts';
import type { ReceivePack } from './vcs/git/protocol/receive-pack.ts';
import type { UploadPack } from './vcs/git/protocol/upload-pack.ts';
import type { HgProtocol } from './vcs/hg/protocol/hg-protocol.ts';
import type { RenderRst } from './vcs/render-rst.ts';
import type { CloneCache } from './cache/vcs-answers/clone-cache.ts';

/** The tools that every handler may use. */
export interface Tools {
  readonly vault: SecretVault;
  readonly logger: Logger;
  readonly feedSettings: FeedSettings;
  /** Makes every gateway forget what it has cached of a user, or, with null, of all users. */
  readonly announceCallersChanged: (userId: number | null) => void;
  /** Announces to every worker that an operation is to be cancelled. */
  readonly announceCancelled: () => void;
  /** Announces that an operation may have ended, to calls that wait for the operation or for its repository. */
  readonly announceEnd: (operation: EndedOperation) => void;
  /** Makes every worker look now for operations whose worker is gone, and for staging and trash to clear. */
  readonly wakeSweepers: () => void;
  /** Days for which the trash is kept. */
  readonly trashDays: number;
  /** Milliseconds that fork_repo, move_repo and maintain_repo wait for their operations before they answer. */
  readonly backgroundAfterMs: number;
  /** Whether the operator has set up ssh for remotes. */
  readonly sshEnabled: boolean;
}

/** The tools that reach repository bytes. A worker that serves the lane `metadata` alone has none of them. */
export interface RepositoryTools {
  readonly storages: Storages;
  readonly backends: Readonly<Record<'hg' | 'git', VcsBackend>>;
  /** Clones and fetches of git clients. */
  readonly uploadPack: UploadPack;
  /** Clones and pulls of Mercurial clients. */
  readonly hgProtocol: HgProtocol;
  /** Pushes of git clients. */
  readonly receivePack: ReceivePack;
  readonly pushSteps: Vcs['pushSteps'];
  readonly maintenance: Vcs['maintenance'];
  readonly renderRst: RenderRst;
  /** Limit of the bytes of one push. */
  readonly pushBytesMax: number;
  /** How long a push that has arrived waits for other operations on its repository, in milliseconds. */
  readonly pushWaitMs: number;
  /** Returns whether the memory of all children is above the budget, so that no child may start. */
  readonly isShortOfMemory: () => boolean;
  readonly children: Vcs['children'];
  /** Counts an operation that failed before it began. */
  readonly countFailure: (kind: OperationKind, error: unknown) => void;
  /** Logs and counts a repository whose bytes could not be read. */
  readonly recordUnreadable: (repository: Pick<RepositoryAccess, 'id' | 'type'>) => void;
  readonly contentCaches: ContentCaches;
  readonly lastChanges: LastChangesCache;
  readonly feeds: RepositoryFeeds;
  readonly replyCache: ReplyCache;
  /** Answers to git and Mercurial clients. */
  readonly cloneCache: CloneCache;
  /** Counts clones and fetches. */
  readonly fetchCounts: Pick<FetchCounts, 'count' | 'figures'>;
  /** The turns in which the streams of large content compute. */
  readonly streamSlices: StreamSlices;
}
