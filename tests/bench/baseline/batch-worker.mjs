// Answers the commands of batch-gateway.mjs, each with one prepared select and a message of its own; the replies of one
// turn of the event loop are written together.
import { createHmac, timingSafeEqual } from 'node:crypto';
import { connect } from 'nats';
import postgres from 'postgres';

const signatureLength = 44;
const sql = postgres(process.env.DATABASE_URL, { max: 4 });
const { host, username, password } = new URL(process.env.NATS_URL);
const nc = await connect({ servers: host, user: username, pass: password });
const result = Buffer.from(JSON.stringify('x'.repeat(Number(process.env.ANSWER_BYTES))));

function opened(message) {
  const bytes = message.data;
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString();
  const body = text.slice(signatureLength);
  const expected = createHmac('sha256', process.env.SECRET).update(body).digest('base64');
  if (!timingSafeEqual(Buffer.from(expected), Buffer.from(text.slice(0, signatureLength)))) throw new Error('forged');
  return JSON.parse(body);
}

let replies = [];
function reply(inbox) {
  replies.push(inbox);
  if (replies.length > 1) return;
  setImmediate(() => {
    const inboxes = replies;
    replies = [];
    for (const each of inboxes) nc.publish(each, result);
  });
}
async function answer(inbox) {
  await sql`select id, username, admin from users where id = ${1}`;
  reply(inbox);
}
nc.subscribe('batch.one', {
  queue: 'batch',
  callback(_error, message) {
    opened(message);
    void answer(message.reply);
  },
});
nc.subscribe('batch.many', {
  queue: 'batch',
  callback(_error, message) {
    for (const command of opened(message)) void answer(command.reply);
  },
});
process.send({ ready: true });
process.on('disconnect', () => process.exit(0));
