import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as v from 'valibot';
import { hasCode } from '../../../has-code.ts';
import { changedAt, syncChanged, writeSynced } from '../../../storage/durable.ts';
import type { VcsBackend } from '../../backend.ts';
import { PushRefusedError, PushUnsettledError, type PushSteps } from '../../push.ts';
import { VcsError } from '../../vcs-error.ts';
import type { HgProtocol } from './hg-protocol.ts';
import type { PushOutcome } from './forked-child.ts';

/** The request of a push, beside its bundle. */
const Arrived = v.strictObject({ command: v.string(), caps: v.string(), args: v.string() });

type ArrivedPush = v.InferOutput<typeof Arrived>;

const requestPath = (directory: string) => join(directory, 'request');
/** Whether Mercurial has applied or refused a push: its answer to one must never be sent for the other. */
type Ending = 'applied' | 'refused';

const replyPath = (directory: string, ending: Ending) => join(directory, ending);

/** Returns the path of the bundle in the directory of a push. */
export const bundlePath = (directory: string): string => join(directory, 'bundle');

export async function writeArrived(directory: string, arrived: ArrivedPush): Promise<void> {
  await writeFile(requestPath(directory), JSON.stringify(arrived));
}

async function readArrived(directory: string): Promise<ArrivedPush> {
  return v.parse(Arrived, JSON.parse(await readFile(requestPath(directory), 'utf8')));
}

/** Keeps the answer of Mercurial, unless it was too long, until all of the push is recorded. */
async function writeReply(
  directory: string,
  { reply, failure }: Pick<PushOutcome, 'reply' | 'failure'>,
): Promise<void> {
  if (reply !== null) await writeFile(replyPath(directory, failure === null ? 'applied' : 'refused'), reply);
}

/** Returns the answer of Mercurial to a push that has ended so; null when there is none. */
export async function readReply(directory: string, ending: Ending): Promise<Buffer | null> {
  return readFile(replyPath(directory, ending)).catch((error: unknown) => {
    if (!hasCode(error, 'ENOENT')) throw error;
    return null;
  });
}

/** The digest of the repository before the push; the time of the file is that before the first change. */
const beforePath = (directory: string) => join(directory, 'before');

/** Creates the steps by which a received push becomes visible in a Mercurial repository. */
export function createHgPushSteps(
  protocol: Pick<HgProtocol, 'push' | 'digest'>,
  { recover }: Pick<VcsBackend, 'recover'>,
): PushSteps {
  return {
    async prepare(path, { directory }) {
      await writeSynced(beforePath(directory), await protocol.digest(path));
    },
    // Mercurial adds changesets and makes them visible in one transaction.
    async moveObjects() {},
    async changeNames(path, { directory }, requireHeld) {
      const arrived = await readArrived(directory);
      const outcome = await protocol.push(path, { ...arrived, bundle: bundlePath(directory) }, requireHeld);
      const { isVisible, failure } = outcome;
      if (isVisible && failure !== null) throw new VcsError('failed', `hg failed after the push: ${failure}`);
      await writeReply(directory, outcome);
      if (failure !== null) throw new PushRefusedError(failure);
    },
    finish: async (path, { directory }) => syncChanged(join(path, '.hg'), await changedAt(beforePath(directory))),
    async settle(path, { directory }) {
      await recover(path);
      const before = await readFile(beforePath(directory), 'latin1').catch((cause: unknown) => {
        if (!hasCode(cause, 'ENOENT')) throw cause;
        throw new PushUnsettledError(`${directory} lacks the digest of its operation`, { cause });
      });
      return before !== (await protocol.digest(path));
    },
  };
}
