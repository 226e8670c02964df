// Answers each fetch with the same finished bytes. With UPSTREAM, asks another such server for them and passes them on, as
// a gateway does: the least that a server can do, and a server behind another one.
import { readFile } from 'node:fs/promises';
import { Agent, createServer, request } from 'node:http';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';

const { UPSTREAM, BYTES } = process.env;
const bytes = UPSTREAM ? null : await readFile(BYTES);
const pieceBytes = 64 * 1024;
const bufferBytes = 256 * 1024;

function* pieces() {
  for (let at = 0; at < bytes.length; at += pieceBytes) yield bytes.subarray(at, at + pieceBytes);
}

async function answer(incoming, outgoing) {
  const isFetch = (await buffer(incoming)).includes('command=fetch');
  if (isFetch) await pipeline(Readable.from(pieces()), outgoing);
  else outgoing.end('x');
}

const agent = new Agent({ keepAlive: true });
function passOn(incoming, outgoing) {
  const options = { method: incoming.method, headers: incoming.headers, agent, highWaterMark: bufferBytes };
  const asked = request(`${UPSTREAM}${incoming.url}`, options, (response) => {
    outgoing.writeHead(response.statusCode);
    void pipeline(response, outgoing);
  });
  void pipeline(incoming, asked);
}

const http = createServer(UPSTREAM ? passOn : answer);
http.listen(0, '127.0.0.1', () => process.send({ ready: true, port: http.address().port }));
process.on('disconnect', () => process.exit(0));
