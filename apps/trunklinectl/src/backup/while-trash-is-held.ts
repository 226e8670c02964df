import {
  canRecordBackups,
  type Connection,
  holdsTrash,
  holdTrash,
  requireUsableSchema,
  TrashHeldError,
  watchServer,
  withConnection,
} from '@trunkline/db';
import { RefusedError } from '../errors.ts';

/** Throws for a database of another schema that this release cannot use, before anything else is read or locked. */
export async function requireBackupsTable(client: Connection): Promise<void> {
  await requireUsableSchema(client);
  if (await canRecordBackups(client)) return;
  throw new RefusedError(
    'the database has the schema of an earlier release, which records no backups: run `trunklinectl migrate` before',
  );
}

/** The trash of all storages, which is not emptied while the connection lives. */
export interface HeldTrash {
  readonly client: Connection;
  /** Throws when the trash was not held all the time. */
  requireStill(): Promise<void>;
}

const heartbeatMs = 60_000;

/** Runs `act` while no trash is emptied and no other backup of the instance runs. */
export async function whileTrashIsHeld<T>(url: string, act: (held: HeldTrash) => Promise<T>): Promise<T> {
  return withConnection(url, async (client) => {
    await requireBackupsTable(client);
    await holdTrash(client).catch((error: unknown) => {
      throw error instanceof TrashHeldError ? new RefusedError(error.message, { cause: error }) : error;
    });
    const heartbeat = setInterval(() => void holdsTrash(client).catch(() => {}), heartbeatMs);
    const requireStill = async () => {
      if (!(await holdsTrash(client))) throw new RefusedError('the connection that kept the trash was lost: try again');
    };
    // The backup then ends without success, and the next one has what is unchanged.
    const endWatch = watchServer({ url, name: 'trunklinectl', clients: [client] });
    try {
      return await act({ client, requireStill });
    } finally {
      endWatch();
      clearInterval(heartbeat);
    }
  });
}
