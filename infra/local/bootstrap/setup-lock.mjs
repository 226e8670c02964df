import { createHash } from 'node:crypto';
import { createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

function tryListen(socket) {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', (error) => (error.code === 'EADDRINUSE' ? resolve(null) : reject(error)));
    server.listen(socket, () => resolve(server));
  });
}

/**
 * Runs `work` under a lock of this checkout. The lock is an abstract socket, which ends with its process; only Linux
 * has abstract sockets, on other systems nothing is locked.
 */
export async function withSetupLock(root, say, work) {
  if (process.platform !== 'linux') return work();
  const socket = `\0trunkline-setup-${createHash('sha256').update(root).digest('hex').slice(0, 32)}`;
  let server = await tryListen(socket);
  if (server === null) say('Waiting for another setup of this checkout');
  while (server === null) {
    await sleep(100);
    server = await tryListen(socket);
  }
  try {
    return await work();
  } finally {
    server.close();
  }
}
