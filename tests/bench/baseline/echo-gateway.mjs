// The least that a gateway in front of a bus can do: Hono, JSON, one request on NATS. `/http` answers without the bus.
import { serve } from '@hono/node-server';
import { Hono } from 'hono';
import { connect } from 'nats';

const { host, username, password } = new URL(process.env.NATS_URL);
const nc = await connect({ servers: host, user: username, pass: password });
const app = new Hono();
const texts = new Map();
const textOf = (bytes) => texts.get(bytes) ?? texts.set(bytes, JSON.stringify('x'.repeat(bytes))).get(bytes);
const reply = (c, id, result) =>
  c.body(`{"id":${id},"result":${result},"error":null}`, 200, { 'Content-Type': 'application/json' });
app.post('/echo', async (c) => {
  const { id, args } = await c.req.json();
  const message = await nc.request('bench.echo', JSON.stringify({ args }), { timeout: 30_000 });
  return reply(c, id, message.string());
});
app.post('/http', async (c) => {
  const { id, args } = await c.req.json();
  return reply(c, id, textOf(args.bytes));
});
// As in the service: connections rest while other targets are measured, longer than the five seconds of Node.js.
const serverOptions = { keepAliveTimeout: 75_000 };
serve({ fetch: app.fetch, hostname: '127.0.0.1', port: 0, serverOptions }, ({ port }) =>
  process.send({ ready: true, port }),
);
process.on('disconnect', () => process.exit(0));
