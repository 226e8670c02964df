// The least that a gateway in front of a bus can do: Hono, JSON, one request on NATS.
import { serve } from '@hono/node-server';
import { Hono } from 'hono';
import { connect } from 'nats';

const { host, username, password } = new URL(process.env.NATS_URL);
const nc = await connect({ servers: host, user: username, pass: password });
const app = new Hono();
app.post('/echo', async (c) => {
  const { id, args } = await c.req.json();
  const reply = await nc.request('bench.echo', JSON.stringify({ args }), { timeout: 5_000 });
  return c.body(`{"id":${id},"result":${reply.string()},"error":null}`, 200, { 'Content-Type': 'application/json' });
});
serve({ fetch: app.fetch, hostname: '127.0.0.1', port: 0 }, ({ port }) => process.send({ ready: true, port }));
process.on('disconnect', () => process.exit(0));
