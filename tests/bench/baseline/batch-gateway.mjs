// Sends commands in three ways: /alone writes each message by itself, /together writes the messages of one turn of the
// event loop together, and /batched sends the commands of one turn in one signed message.
import { createHmac } from 'node:crypto';
import { serve } from '@hono/node-server';
import { Hono } from 'hono';
import { connect, createInbox, nuid } from 'nats';

const commandsMax = 16;
const bytesMax = 64 * 1024;
const { host, username, password } = new URL(process.env.NATS_URL);
const nc = await connect({ servers: host, user: username, pass: password });
const inbox = `${createInbox()}.`;
const pending = new Map();
nc.subscribe(`${inbox}*`, {
  callback(_error, message) {
    const token = message.subject.slice(inbox.length);
    pending.get(token)?.(message);
    pending.delete(token);
  },
});

const signed = (text) => `${createHmac('sha256', process.env.SECRET).update(text).digest('base64')}${text}`;
/** Calls `send` at the end of the turn with all that was added in it. */
const gather = (send) => {
  let waiting = [];
  return (item) => {
    waiting.push(item);
    if (waiting.length > 1) return;
    setImmediate(() => {
      const items = waiting;
      waiting = [];
      send(items);
    });
  };
};
const publish = ({ token, args }) =>
  nc.publish('batch.one', signed(JSON.stringify({ args })), { reply: inbox + token });
const publishAll = (commands) => {
  let [texts, bytes] = [[], 0];
  const flush = () => {
    if (texts.length > 0) nc.publish('batch.many', signed(`[${texts.join(',')}]`));
    [texts, bytes] = [[], 0];
  };
  for (const { token, args } of commands) {
    const text = JSON.stringify({ reply: inbox + token, args });
    if (texts.length === commandsMax || bytes + text.length > bytesMax) flush();
    texts.push(text);
    bytes += text.length;
  }
  flush();
};
const counts = { turns: 0, commands: 0 };
const counted = (commands) => {
  counts.turns += 1;
  counts.commands += commands.length;
  publishAll(commands);
};
const ways = {
  alone: publish,
  together: gather((commands) => commands.forEach(publish)),
  batched: gather(counted),
};

const app = new Hono();
for (const [way, send] of Object.entries(ways)) {
  app.post(`/${way}`, async (c) => {
    const { id, args } = await c.req.json();
    const token = nuid.next();
    const reply = new Promise((resolve) => pending.set(token, resolve));
    send({ token, args });
    const result = (await reply).string();
    return c.body(`{"id":${id},"result":${result},"error":null}`, 200, { 'Content-Type': 'application/json' });
  });
}
app.get('/counts', (c) => c.json(counts));
serve({ fetch: app.fetch, hostname: '127.0.0.1', port: 0 }, ({ port }) => process.send({ ready: true, port }));
process.on('disconnect', () => process.exit(0));
