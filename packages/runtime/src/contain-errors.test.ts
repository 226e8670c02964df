import { once } from 'node:events';
import { createServer } from 'node:http';
import { setImmediate as turn } from 'node:timers/promises';
import { afterEach, expect, it } from 'vitest';
import { containErrors, type Answer } from './contain-errors.ts';

const server = createServer();
const reported: unknown[] = [];
let answer: Answer = () => {};

server.on(
  'request',
  containErrors(
    (request, response) => answer(request, response),
    (error) => reported.push(error),
  ),
);

afterEach(() => void reported.splice(0));

async function ask(): Promise<string> {
  if (!server.listening) await once(server.listen(0, '127.0.0.1'), 'listening');
  const address = server.address();
  const port = typeof address === 'object' && address ? address.port : 0;
  try {
    return await (await fetch(`http://127.0.0.1:${port}`)).text();
  } catch {
    return 'closed';
  }
}

const failure = new Error('thrown by the test');

it.each<[string, Answer]>([
  [
    'at once',
    () => {
      throw failure;
    },
  ],
  [
    'later',
    async () => {
      await turn();
      throw failure;
    },
  ],
  [
    'after the head',
    async (_request, response) => {
      response.writeHead(200).flushHeaders();
      throw failure;
    },
  ],
  [
    'as an event of the response',
    async (_request, response) => {
      response.write('a part');
      await turn();
      response.emit('error', failure);
    },
  ],
])('A11 what is thrown %s closes the connection and is reported', async (_when, thrower) => {
  answer = thrower;
  expect(await ask()).toBe('closed');
  expect(reported).toEqual([failure]);
  answer = (_request, response) => void response.end('ok');
  expect(await ask()).toBe('ok');
});

it('A11 a status line that Node.js refuses twice closes the connection', async () => {
  answer = async (_request, response) => {
    try {
      response.writeHead(403, 'プロジェクト');
    } catch {
      response.writeHead(500);
    }
  };
  expect(await ask()).toBe('closed');
  expect(reported).toMatchObject([{ code: 'ERR_INVALID_CHAR' }]);
});
