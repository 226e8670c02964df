// The least that a worker behind a bus can do: one prepared select, and an answer of as many bytes as were asked for.
import { connect } from 'nats';
import postgres from 'postgres';

const sql = postgres(process.env.DATABASE_URL, { max: 4 });
const { host, username, password } = new URL(process.env.NATS_URL);
const nc = await connect({ servers: host, user: username, pass: password });
const answers = new Map();
const answerOf = (bytes) =>
  answers.get(bytes) ?? answers.set(bytes, Buffer.from(JSON.stringify('x'.repeat(bytes)))).get(bytes);
const answer = async (message) => {
  const { args } = JSON.parse(message.string());
  await sql`select id, username, admin from users where id = ${1}`;
  message.respond(answerOf(args.bytes));
};
nc.subscribe('bench.echo', { queue: 'bench', callback: (_error, message) => void answer(message) });
process.send({ ready: true });
process.on('disconnect', () => process.exit(0));
