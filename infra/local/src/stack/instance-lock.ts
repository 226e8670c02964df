import { once } from 'node:events';
import { rmSync, statSync } from 'node:fs';
import { createConnection, createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface InstanceLock {
  /**
   * Description of the process that holds the lock, empty when that process does not answer; null when this call has
   * locked the directory.
   */
  readonly heldBy: string | null;
  release(): void;
}

const answerMsMax = 2_000;
const answerCharsMax = 500;

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

/** Reads the description from the holder of the lock, whoever that is, as one short line; null when no process listens. */
async function askHolder(socket: string): Promise<string | null> {
  const connection = createConnection(socket).setEncoding('utf8');
  connection.setTimeout(answerMsMax, () => connection.destroy());
  let text = '';
  try {
    for await (const piece of connection as AsyncIterable<string>) {
      text += piece.replaceAll(/\p{Cc}+/gu, ' ');
      if (text.length >= answerCharsMax) break;
    }
    return text.slice(0, answerCharsMax);
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
    try {
      connection.end(describe());
    } catch {
      connection.destroy();
    }
  });
  // A connection that cannot be accepted leaves the lock held, and must not end this process.
  server.on('error', () => {});
  server.unref();
  const lock = { heldBy: null, release: () => void server.close() };
  if (await listen(server, socket)) return lock;
  const heldBy = await askHolder(socket);
  if (heldBy !== null) return { heldBy, release: () => {} };
  if (!socket.startsWith('\0')) rmSync(socket, { force: true });
  return (await listen(server, socket)) ? lock : { heldBy: (await askHolder(socket)) ?? '', release: () => {} };
}
