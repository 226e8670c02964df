// Proxy command of git and ssh: connects its stdin and stdout to the given host and port through the egress guard.
// The command must run without the packages of the worker.
import { request } from 'node:http';

const [host = '', port = ''] = process.argv.slice(2);
const [guardHost, guardPort, username, password] = (process.env['TRUNKLINE_EGRESS'] ?? '').split(':');
if (password === undefined) fail('TRUNKLINE_EGRESS is not set');
const credentials = Buffer.from(`${username}:${password}`).toString('base64');

const connecting = request({
  host: guardHost,
  port: guardPort,
  method: 'CONNECT',
  path: `${host.includes(':') ? `[${host}]` : host}:${port}`,
  headers: { 'Proxy-Authorization': `Basic ${credentials}` },
});

connecting.on('connect', (response, socket, head) => {
  if (response.statusCode !== 200) fail(`refused with status ${response.statusCode}`);
  socket.on('error', () => fail('connection lost'));
  socket.on('close', () => process.stdin.destroy());
  process.stdout.on('error', () => fail('output closed'));
  socket.unshift(head);
  process.stdin.pipe(socket);
  socket.pipe(process.stdout);
});
connecting.on('error', () => fail('egress guard unreachable'));
connecting.end();

function fail(reason = '') {
  process.stderr.write(`connect: ${reason}\n`);
  process.exit(1);
}
