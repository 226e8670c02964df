import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import { connect, type AddressInfo } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { gitProtocol, largePushAnswer } from './git-request.ts';
import { ClientGoneError } from '../http/read-body.ts';
import { PushTooLargeError } from './open-push.ts';

it.each([
  ['version=2', 2],
  ['version=1', 1],
  ['version=0', 0],
  ['version=1:version=2:other=x', 2],
  ['version=9', 0],
  ['version=2;rm', 0],
  ['VERSION=2', 0],
  ['version=2\u0000', 0],
  [':'.repeat(60_000), 0],
  ['', 0],
  [undefined, 0],
  [['version=2', 'version=1'], 0],
])('the header %j asks for version %i', (header, version) => {
  expect(gitProtocol(header)).toBe(version);
});

const error = new PushTooLargeError(1_000);
const line = (text: string) => `${(text.length + 4).toString(16).padStart(4, '0')}${text}`;
const change = (capabilities: string) => line(`${'0'.repeat(40)} ${'1'.repeat(40)} refs/heads/a\0 ${capabilities}`);

/** Sends these pieces as the beginning of a large push; returns the request as a server has it, and the client. */
async function begin(...pieces: string[]) {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => server.close().closeAllConnections());
  const { port } = server.address() as AddressInfo;
  const client = connect(port, '127.0.0.1').on('error', () => {});
  client.write('POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1000000\r\n\r\n');
  for (const piece of pieces) client.write(piece);
  const [incoming] = (await once(server, 'request')) as [IncomingMessage];
  return { incoming, client };
}

const answerTo = async (...pieces: string[]) =>
  (await largePushAnswer((await begin(...pieces)).incoming, error)).toString();

it('git is told in its side band, or by an error packet', async () => {
  const sent = change('report-status side-band-64k');
  const told = line(`\x03${error.message}\n`);
  expect(await answerTo(sent)).toBe(told);
  expect(await answerTo(sent.slice(0, 3), sent.slice(3, 50), sent.slice(50), 'PACK')).toBe(told);
  expect(await answerTo(change('report-status'))).toBe(line(`ERR ${error.message}`));
});

it('what is no push gets an error packet, however it begins', async () => {
  for (const body of ['xxxx', '0000', 'ffff'.repeat(40_000)]) {
    expect(await answerTo(body)).toBe(line(`ERR ${error.message}`));
  }
});

it('a client that leaves is told nothing', async () => {
  const { incoming, client } = await begin('00');
  client.destroy();
  await expect(largePushAnswer(incoming, error)).rejects.toThrow(ClientGoneError);
});
