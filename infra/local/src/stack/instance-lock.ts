import { once } from 'node:events';
import { rmSync, statSync } from 'node:fs';
import { createConnection, createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';

export interface InstanceLock {
  /**
   * Description of the process that holds the lock, empty when that process does not answer; null when this call has
   * locked the directory.
   */
  readonly heldBy: string | null;
  release(): void;
}

const answerMsMax = 2_000;

function socketOf(dir: string): string {
  const { dev, ino } = statSync(dir);
  const name = `trunkline-${dev}-${ino}`;
  return process.platform === 'linux' ? `\0${name}` : join(tmpdir(), `${name}.sock`);
}

async function listen(server: Server, socket: string): Promise<boolean> {
  server.listen(socket);
  try {
    await once(server, 'listening');
    return true;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EADDRINUSE') return false;
    throw error;
  }
}

/** Reads the description from the holder of the lock; null when no process listens. */
async function askHolder(socket: string): Promise<string | null> {
  const connection = createConnection(socket);
  connection.setTimeout(answerMsMax, () => connection.destroy());
  try {
    return await text(connection);
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'ECONNREFUSED' ? null : '';
  }
}

/**
 * Locks a directory until this process ends, however it ends: the lock is a listening socket named after the directory
 * (abstract on Linux, so that no file is left behind). The socket sends the text of `describe` to each client.
 */
export async function takeInstanceLock(dir: string, describe: () => string): Promise<InstanceLock> {
  const socket = socketOf(dir);
  const server = createServer((connection) => {
    connection.on('error', () => {});
    connection.end(describe());
  });
  server.unref();
  const lock = { heldBy: null, release: () => void server.close() };
  if (await listen(server, socket)) return lock;
  const heldBy = await askHolder(socket);
  if (heldBy !== null) return { heldBy, release: () => {} };
  if (!socket.startsWith('\0')) rmSync(socket, { force: true });
  return (await listen(server, socket)) ? lock : { heldBy: (await askHolder(socket)) ?? '', release: () => {} };
}
