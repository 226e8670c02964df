import { once } from 'node:events';
import { createServer } from 'node:http';
import { setTimeout as wait } from 'node:timers/promises';
import { send } from './repeat.mjs';

const dripMs = 200;
const oid = 'a'.repeat(40);
const line = (text) => `${(text.length + 4).toString(16).padStart(4, '0')}${text}`;
const refs = `${line(`${oid} HEAD\0agent=git/2\n`)}${line(`${oid} refs/heads/main\n`)}0000`;
/** The beginning of a pack with one blob of a gigabyte. */
const packStart = Buffer.concat([
  Buffer.from('PACK\0\0\0\u0002\0\0\0\u0001'),
  Buffer.from([0xb0, 0xa0, 0xd9, 0xe6, 0x1d]),
]);

function answer(incoming, outgoing) {
  if (incoming.method === 'GET') {
    outgoing.writeHead(200, { 'Content-Type': 'application/x-git-upload-pack-advertisement' });
    return outgoing.end(`001e# service=git-upload-pack\n0000${refs}`);
  }
  incoming.resume();
  outgoing.writeHead(200, { 'Content-Type': 'application/x-git-upload-pack-result' });
  outgoing.write('0008NAK\n');
  outgoing.write(packStart);
  const timer = setInterval(() => outgoing.write(Buffer.alloc(1)), dripMs);
  outgoing.once('close', () => clearInterval(timer));
}

/** Imports from a remote that sends a few bytes a second. */
export async function drippingImports({ baseUrls, connections, apiKey, headers }, signal, count) {
  const server = createServer(answer).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const clone_uri = `http://127.0.0.1:${server.address().port}/x`;
  const loop = async (index) => {
    for (let turn = 0; !signal.aborted; turn += 1) {
      const args = { repo_name: `drip-${index}-${turn}`, repo_type: 'git', clone_uri };
      const body = JSON.stringify({ id: 1, api_key: apiKey, method: 'create_repo', args });
      const url = `${baseUrls[index % baseUrls.length]}/_admin/api`;
      const outcome = await send(url, { method: 'POST', headers, body, signal }).catch(() => null);
      count(outcome?.error?.replace(/.*: /, '') ?? 'ended');
      await wait(10);
    }
  };
  await Promise.all(Array.from({ length: connections }, (_, index) => loop(index)));
  server.closeAllConnections();
  server.close();
}
