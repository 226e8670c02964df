import { connect } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';

const pieceBytes = 4 * 1024;
const everyMs = 2_000;

/** Reads a few bytes at a time until the connection is closed. */
async function readSlowly(url, headers, signal) {
  const { hostname, port, pathname, search } = new URL(url);
  const socket = connect({ host: hostname, port: Number(port), highWaterMark: pieceBytes });
  socket.on('error', () => {});
  const lines = Object.entries({ Host: 'a', ...headers }).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.write(`GET ${pathname}${search} HTTP/1.1\r\n${lines.join('')}\r\n`);
  while (!socket.destroyed && !signal.aborted) {
    socket.read(pieceBytes);
    await wait(everyMs, undefined, { signal }).catch(() => {});
  }
  socket.destroy();
}

/** Keeps so many readers of each address at less than 10 KB a second. */
export async function slowReaders({ baseUrls, paths, readersOfEach, headers }, signal, count) {
  const loop = async (path, index) => {
    while (!signal.aborted) {
      await readSlowly(baseUrls[index % baseUrls.length] + path, headers, signal);
      count('an answer was ended');
    }
  };
  await Promise.all(paths.flatMap((path) => Array.from({ length: readersOfEach }, (_, index) => loop(path, index))));
}
