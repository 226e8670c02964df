import { withTimeout } from '@trunkline/runtime/concurrency';
import { requireRepository } from '../../authz/require-repository.ts';
import type { ReadContext } from '../../methods/context.ts';
import { readRecordedState } from '../../domain/repo/recorded-state.ts';
import { readCommandList, requireAcceptable, type CommandList } from '../../vcs/git/protocol/command-list.ts';
import { PktReader } from '../../vcs/git/protocol/pkt-line.ts';
import { errorPacket, hasSideBand, keepAlivePacket, pushReport } from '../../vcs/git/protocol/push-report.ts';
import { requireDefaultBranch } from '../../vcs/git/protocol/git-push-steps.ts';
import { scopeOfOperation } from '../../vcs/process/call-scope.ts';
import { PushRefusedError, type NameChange, type ReceivedPush } from '../../vcs/push.ts';
import { type ArrivingPush, keepAliveMs, pushOperation, refuseArrived, requireSameTree } from './arriving-push.ts';
import { refusalOf } from './push-refusal.ts';
import { writeChanges } from './changes-file.ts';
import { predictState, writePrediction } from './predicted-state.ts';
import { SpaceCheck } from './store-bundle.ts';
import { withPushDirectory } from '../../storage/push-directories.ts';
import type { RepositoryTools } from '../../worker-tools.ts';

type PushContext = Pick<ReadContext, 'db' | 'authorize' | 'requestId' | 'runOffered' | 'recordRefused'> &
  Pick<RepositoryTools, 'receivePack' | 'storages' | 'pushBytesMax' | 'pushWaitMs'>;

interface Upload {
  readonly list: CommandList;
  readonly reader: PktReader;
}

/** References that the audit log names. */
const namesMax = 50;

/** Reads what the client still sends, since it reads its answer only afterwards. */
async function discardRest(reader: PktReader): Promise<void> {
  try {
    for await (const _ of reader.rest());
  } catch {
    // Too many bytes, or the client has gone: either way nothing more comes.
  }
}

/** Returns the arguments of a push in the audit log. */
function auditedArgs({ ref }: ArrivingPush, changes: readonly NameChange[], bytes: number) {
  const names = changes.slice(0, namesMax).map(({ name }) => name);
  return { repoid: ref.sent, references: names.join(' '), count: changes.length, bytes };
}

/** Reads what the repository will be like, so that no call waits for it while the push has the repository. */
async function predict(context: PushContext, { ref, repository, signal }: ArrivingPush, received: ReceivedPush) {
  // A repository that is elsewhere by now is told from here: an operation would be left to the workers of its storage.
  requireSameTree(requireRepository(await context.authorize(context.db), ref), repository);
  const path = context.storages.of(repository).absolute(repository.storagePath);
  // Read first: a change after this read has another generation.
  const recorded = await readRecordedState(context.db, repository.id);
  if (!recorded) return;
  const scope = { ...scopeOfOperation, signal };
  const predicted = await predictState(context.receivePack, path, received, { recorded, scope });
  if (predicted) await writePrediction(received.directory, predicted);
}

/** Checks the objects of a push, and meanwhile predicts what it makes of the repository; returns the hash of its changes. */
async function check(context: PushContext, push: ArrivingPush, path: string, received: ReceivedPush): Promise<string> {
  const scope = { ...scopeOfOperation, signal: push.signal };
  const [checked, predicted, hash] = await Promise.allSettled([
    context.receivePack.check(path, received, scope),
    predict(context, push, received),
    writeChanges(received.directory, received.changes),
  ]);
  // A history that lacks objects cannot be predicted either.
  if (checked.status === 'rejected') throw checked.reason;
  if (predicted.status === 'rejected') throw predicted.reason;
  if (hash.status === 'rejected') throw hash.reason;
  return hash.value;
}

/** Receives the objects of a push; throws PushRefusedError, or another error of the client. */
async function receive(
  context: PushContext,
  push: ArrivingPush,
  { upload, changes, directory }: { upload: Upload; changes: readonly NameChange[]; directory: string },
): Promise<string> {
  const path = context.storages.of(push.repository).absolute(push.repository.storagePath);
  try {
    requireAcceptable(upload.list);
    await requireDefaultBranch(path, changes);
    const { watch } = context.storages.servedOf(push.repository);
    const space = new SpaceCheck((bytes) => watch.hasSpaceFor(bytes));
    const arriving = { ...upload, mayReach: (bytes: number) => space.mayReach(bytes) };
    await context.receivePack.receive(path, directory, arriving, push.signal);
    return await check(context, push, path, { directory, changes });
  } catch (error) {
    const args = auditedArgs(push, changes, upload.reader.received);
    return await refuseArrived(context, push, { error, args });
  }
}

/** Receives a push, then makes it visible. */
async function run(context: PushContext, push: ArrivingPush, upload: Upload): Promise<void> {
  const changes = upload.list.changes.filter(({ from, to }) => from !== to);
  if (changes.length === 0) return;
  const { pushes } = context.storages.of(push.repository);
  await withPushDirectory(pushes, context.requestId, async (directory) => {
    const hash = await receive(context, push, { upload, changes, directory });
    const args = auditedArgs(push, changes, upload.reader.received);
    await context.runOffered(pushOperation(push, { args, hash, msMax: context.pushWaitMs }));
  });
}

/** Returns the refusal of a push; null when all of it is done and recorded. Throws when the client cannot be told. */
async function outcomeOf(context: PushContext, push: ArrivingPush, upload: Upload): Promise<PushRefusedError | null> {
  try {
    await run(context, push, upload);
    return null;
  } catch (error) {
    const refusal = push.signal.aborted ? null : refusalOf(error, push.repository.name);
    if (refusal === null) throw error;
    return refusal;
  } finally {
    await discardRest(upload.reader);
  }
}

/**
 * Receives a push of a git client. Yields its report once the push has ended and all of it is recorded, and empty packets
 * before, so that no proxy on the way gives up. A push that has begun to become visible goes on without its client.
 */
export async function* receivePush(context: PushContext, push: ArrivingPush): AsyncGenerator<Uint8Array> {
  const reader = new PktReader(push.body, context.pushBytesMax);
  let list: CommandList;
  try {
    list = await readCommandList(reader);
  } catch (error) {
    if (!(error instanceof PushRefusedError)) throw error;
    await discardRest(reader);
    yield errorPacket(error.message);
    return;
  }
  // Git sends an empty list first, to see whether its login is accepted.
  if (list.changes.length === 0) return;
  const outcome = outcomeOf(context, push, { list, reader }).then((refusal) => ({ refusal }));
  push.keepSlotFor(outcome);
  // Its error is for the reader, who may have gone.
  outcome.catch(() => {});
  for (;;) {
    const ended = await withTimeout(outcome, keepAliveMs, () => null);
    if (ended) return yield* pushReport(list, ended.refusal);
    if (reader.isEnded && hasSideBand(list)) yield keepAlivePacket;
  }
}
