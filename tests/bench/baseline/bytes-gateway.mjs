// Passes bytes of the worker on to clients of HTTP: /stream/<bytes> from the bus, /offer/<bytes> from its data port.
import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import { pipeline } from 'node:stream/promises';
import { decodeDataOffer } from '@trunkline/contracts';
import { createSecretVault } from '@trunkline/db';
import { connectBus, createLogger, DataClient } from '@trunkline/runtime';

const timeoutMs = 60_000;
const logger = createLogger({ role: 'bytes-gateway', level: 'warn' });
const vault = createSecretVault(process.env.SECRET);
const bus = await connectBus({ url: process.env.NATS_URL, name: 'bytes-gateway', logger });
const client = new DataClient({ networks: ['127.0.0.0/8'], ca: null, vault });

async function open(kind, bytes) {
  const requestId = randomUUID();
  const request = Buffer.from(JSON.stringify({ requestId, bytes }));
  const { payload } = await bus.request(`bench.${kind}`, request, timeoutMs);
  if (kind === 'stream') return payload.stream;
  return (await client.transfer(decodeDataOffer(payload), requestId)).body;
}

async function answer(request, response) {
  const [, kind, bytes] = request.url.split('/');
  const body = await open(kind, Number(bytes));
  response.writeHead(200, { 'Content-Length': bytes });
  await pipeline(body, response).catch(() => {});
}

const http = createServer((request, response) => void answer(request, response));
http.listen(0, '127.0.0.1', () => process.send({ ready: true, port: http.address().port }));
process.on('disconnect', () => process.exit(0));
