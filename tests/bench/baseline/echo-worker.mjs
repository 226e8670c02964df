// The least that a worker behind a bus can do: one prepared select, and the argument back.
import { connect } from 'nats';
import postgres from 'postgres';

const sql = postgres(process.env.DATABASE_URL, { max: 4 });
const { host, username, password } = new URL(process.env.NATS_URL);
const nc = await connect({ servers: host, user: username, pass: password });
const answer = async (message) => {
  const { args } = JSON.parse(message.string());
  await sql`select id, username, admin from users where id = ${1}`;
  message.respond(JSON.stringify(args.args));
};
nc.subscribe('bench.echo', { queue: 'bench', callback: (_error, message) => void answer(message) });
process.send({ ready: true });
process.on('disconnect', () => process.exit(0));
