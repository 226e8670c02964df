import { UnavailableError, type Method } from '@trunkline/contracts';
import { randomUUID } from 'node:crypto';
import { readWhole, type Command, type Dispatch } from './command.ts';
import type { KnownStorage, StorageDirectory } from './storage-directory.ts';

type Merge = NonNullable<Method['merge']>;

/** Returns the name of each storage, and whether its workers can be asked. A lost storage has nothing to ask for. */
function askable(storages: readonly KnownStorage[]): { name: string; isAway: boolean }[] {
  const present = storages.filter(({ state }) => state !== 'lost');
  return present.map(({ name, state }) => ({ name, isAway: state === 'offline' }));
}

/** Returns the result of a command; null when no worker of its storage answers. */
async function ask(dispatch: Dispatch, command: Command): Promise<unknown> {
  try {
    const bytes = await readWhole(await dispatch(command));
    return JSON.parse(Buffer.from(bytes).toString());
  } catch (error) {
    if (error instanceof UnavailableError) return null;
    throw error;
  }
}

async function askAll(
  dispatch: Dispatch,
  command: Command,
  storages: readonly { name: string; isAway: boolean }[],
  merge: Merge,
): Promise<Uint8Array> {
  const results = await Promise.all(
    storages.map(async ({ name, isAway }, at) => {
      // The client asks for the call by its own id, which is that of the first part.
      const requestId = at === 0 ? command.requestId : randomUUID();
      return isAway ? null : ask(dispatch, { ...command, requestId, storage: name });
    }),
  );
  const answered = results.filter((result) => result !== null);
  if (answered.length === 0) throw new UnavailableError({ cause: new Error('no storage has answered') });
  const away = storages.flatMap(({ name }, at) => (results[at] === null ? [name] : []));
  return Buffer.from(JSON.stringify(merge(answered, away)));
}

/**
 * Returns a dispatch that sends the calls of some methods to the workers of every storage, and answers with the merged
 * results and the names of the storages that are away. With one storage, such a call is a call like others.
 */
export function toEveryStorage(dispatch: Dispatch, directory: Pick<StorageDirectory, 'all'>): Dispatch {
  return async (command) => {
    const { merge } = command.method;
    const storages = merge ? askable(await directory.all()) : [];
    return merge && storages.length > 1 ? askAll(dispatch, command, storages, merge) : dispatch(command);
  };
}
