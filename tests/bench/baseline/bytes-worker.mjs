// Sends as many bytes as are asked for, as a stream of 0.1.0 over the bus or over a data port, with the product's own ends of both.
import { encodeResult } from '@trunkline/contracts';
import { createSecretVault } from '@trunkline/db';
import { connectBus, createLogger, startDataServer } from '@trunkline/runtime';

const timeLimitMs = 60_000;
const logger = createLogger({ role: 'bytes-worker', level: 'warn' });
const vault = createSecretVault(process.env.SECRET);
const bus = await connectBus({ url: process.env.NATS_URL, name: 'bytes-worker', logger });
const server = await startDataServer({ host: '127.0.0.1', port: 0, url: null, tls: null, vault, logger });
const piece = Buffer.alloc(256 * 1024, 'x');
async function* piecesOf(bytes) {
  for (let sent = 0; sent < bytes; sent += piece.length) yield piece;
}
const asked = (payload) => JSON.parse(Buffer.from(payload).toString());
bus.serve('bench.stream', {
  timeLimitMs,
  handle: async (payload) => ({ stream: piecesOf(asked(payload).bytes), bytes: null }),
});
bus.serve('bench.offer', {
  timeLimitMs,
  async handle(payload) {
    const { requestId, bytes } = asked(payload);
    return encodeResult(server.offer(requestId, async () => ({ body: piecesOf(bytes) })));
  },
});
await bus.flush();
process.send({ ready: true });
process.on('disconnect', () => process.exit(0));
