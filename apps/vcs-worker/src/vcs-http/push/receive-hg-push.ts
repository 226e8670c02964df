import { open } from 'node:fs/promises';
import { withTimeout } from '@trunkline/runtime/concurrency';
import type { ReadContext } from '../../methods/context.ts';
import { bundlePath, readReply, writeArrived } from '../../vcs/hg/protocol/hg-push-steps.ts';
import {
  bundleStart,
  keepAlivePart,
  refusalReply,
  restOfReply,
  valueSetReply,
} from '../../vcs/hg/protocol/push-reply.ts';
import { type ArrivingPush, keepAliveMs, pushOperation, refuseArrived } from './arriving-push.ts';
import { refusalOf } from './push-refusal.ts';
import { writeChanges } from './changes-file.ts';
import { storeBundle, type Arrival } from './store-bundle.ts';
import { withPushDirectory } from '../../storage/push-directories.ts';
import type { RepositoryTools } from '../../worker-tools.ts';

type PushContext = Pick<ReadContext, 'db' | 'authorize' | 'requestId' | 'runOffered' | 'recordRefused' | 'logger'> &
  Pick<RepositoryTools, 'storages' | 'pushBytesMax' | 'pushWaitMs' | 'hgProtocol'>;

/** What a Mercurial client sends beside the body. */
interface SentHgPush {
  readonly command: string;
  readonly caps: string;
  readonly args: string;
  /** Bytes of further arguments at the beginning of the body. */
  readonly argsBytes: number;
}

/** Receives the bundle of a push; throws PushRefusedError, or another error of the client. */
async function receive(
  { pushBytesMax: bytesMax, storages, hgProtocol }: PushContext,
  { body, repository, signal }: ArrivingPush,
  { command, caps, args, argsBytes }: SentHgPush,
  { directory, arrival }: { readonly directory: string; readonly arrival: Arrival },
): Promise<string> {
  const { watch } = storages.servedOf(repository);
  const hasSpaceFor = (bytes: number) => watch.hasSpaceFor(bytes);
  const file = await open(bundlePath(directory), 'w');
  let inBody: string;
  try {
    inBody = await storeBundle(body, file, { argsBytes, bytesMax, arrival, hasSpaceFor });
  } finally {
    await file.close();
  }
  await writeArrived(directory, { command, caps, args: [inBody, args].filter(Boolean).join('&') });
  // Once the push has the repository, others wait for both.
  await hgProtocol.waitForMemory(signal);
  return writeChanges(directory, []);
}

/**
 * Returns an answer to a push that was applied, but whose own answer is too long, or was lost when another attempt has
 * completed the push.
 */
async function plainSuccess(
  { storages, hgProtocol, logger }: PushContext,
  { repository, signal }: ArrivingPush,
  command: string,
  directory: string,
): Promise<Buffer> {
  if (command !== 'unbundle') return valueSetReply;
  const path = storages.of(repository).absolute(repository.storagePath);
  return hgProtocol.success(path, bundlePath(directory), signal).catch((error: unknown) => {
    logger.warn({ err: error, repositoryId: repository.id }, 'a push was applied, and could not be answered');
    return refusalReply(command, 'the push has succeeded, but its answer is lost');
  });
}

/** Receives a push, makes it visible, and returns the answer of Mercurial to what it has applied or refused. */
async function run(context: PushContext, push: ArrivingPush, sent: SentHgPush, arrival: Arrival): Promise<Buffer> {
  const { pushes } = context.storages.of(push.repository);
  const auditedArgs = () => ({ repoid: push.ref.sent, command: sent.command, bytes: arrival.received });
  const apply = async (directory: string): Promise<Buffer> => {
    const hash = await receive(context, push, sent, { directory, arrival }).catch((error: unknown) =>
      refuseArrived(context, push, { error, args: auditedArgs() }),
    );
    const args = auditedArgs();
    await context.runOffered(pushOperation(push, { args, hash, msMax: context.pushWaitMs }));
    return (await readReply(directory, 'applied')) ?? plainSuccess(context, push, sent.command, directory);
  };
  return withPushDirectory(pushes, context.requestId, (directory) =>
    apply(directory).catch(async (error: unknown) => {
      const refusal = push.signal.aborted ? null : refusalOf(error, push.repository.name);
      if (refusal === null) throw error;
      // Mercurial says more about what it has refused itself than the text alone.
      return (await readReply(directory, 'refused')) ?? refusalReply(sent.command, refusal.message);
    }),
  );
}

/**
 * Receives a push of a Mercurial client. Yields the answer once the push has ended and all of it is recorded, and parts
 * without content before, so that no proxy on the way gives up. A push that has begun to become visible goes on without
 * its client.
 */
export async function* receiveHgPush(
  context: PushContext,
  push: ArrivingPush,
  sent: SentHgPush,
): AsyncGenerator<Uint8Array> {
  const arrival: Arrival = { received: 0, hasEnded: false };
  const outcome = run(context, push, sent, arrival);
  push.keepSlotFor(outcome);
  // Its error is for the reader, who may have gone.
  outcome.catch(() => {});
  let hasBegun = false;
  for (;;) {
    const reply = await withTimeout(outcome, keepAliveMs, () => null);
    if (reply) return yield hasBegun ? restOfReply(reply) : reply;
    // Clients read the answer only after they have sent all; answers to other commands have no parts.
    if (!arrival.hasEnded || sent.command !== 'unbundle') continue;
    yield hasBegun ? keepAlivePart : Buffer.concat([bundleStart, keepAlivePart]);
    hasBegun = true;
  }
}
