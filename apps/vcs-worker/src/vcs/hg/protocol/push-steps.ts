import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { hasCode } from '../../../has-code.ts';
import { changedAt, syncChanged, writeSynced } from '../../../storage/durable.ts';
import type { VcsBackend } from '../../backend.ts';
import { PushRefusedError, PushUnsettledError, type PushSteps } from '../../push.ts';
import { VcsError } from '../../vcs-error.ts';
import type { HgWire } from './hg-wire.ts';
import { bundlePath, readArrived, writeReply } from './push-files.ts';

/** The digest of the repository before the push; the time of the file is that before the first change. */
const beforePath = (directory: string) => join(directory, 'before');

/** Creates the steps by which a received push becomes visible in a Mercurial repository. */
export function createHgPushSteps(
  wire: Pick<HgWire, 'push' | 'digest'>,
  { recover }: Pick<VcsBackend, 'recover'>,
): PushSteps {
  return {
    async prepare(path, { directory }) {
      await writeSynced(beforePath(directory), await wire.digest(path));
    },
    // Mercurial adds changesets and makes them visible in one transaction.
    async moveObjects() {},
    async changeNames(path, { directory }, requireHeld) {
      const arrived = await readArrived(directory);
      const outcome = await wire.push(path, { ...arrived, bundle: bundlePath(directory) }, requireHeld);
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
      return before !== (await wire.digest(path));
    },
  };
}
