import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startFakeService, type FakeService } from '../harness/fake-service.ts';
import { serviceApiPath } from '../harness/service-api.ts';

const script = '/usr/bin/script';
if (!existsSync(script)) console.warn(`Tables on a terminal are not tested: ${script}, of util-linux, is missing.`);

const results: Readonly<Record<string, unknown>> = {
  get_users: [
    { user_id: 1, username: 'admin', firstname: 'Ann\u001b[2J\u009b31m', lastname: '你好'.repeat(20) },
    { user_id: 2, username: 'bob', firstname: '\u202egnp', lastname: '' },
  ],
};

let service: FakeService;
beforeAll(async () => {
  service = await startFakeService(({ method }) => {
    const result = results[method] ?? null;
    return { result, error: result === null ? 'no\u001b[2J' : null };
  });
});
afterAll(() => service.close());

const quoted = (word: string) => `'${word.replaceAll("'", String.raw`'\''`)}'`;

/** Runs the client on a terminal with 40 columns, and returns what that gets, stdout and stderr together. */
async function onTerminal(...words: string[]): Promise<string> {
  const connection = [`--apihost=${service.host}`, `--apikey=${'a'.repeat(40)}`];
  const client = [process.execPath, serviceApiPath, ...connection, ...words].map(quoted).join(' ');
  const env = { PATH: process.env['PATH'], HOME: '/nonexistent', TERM: 'xterm', SHELL: '/bin/sh' };
  const { stdout } = await promisify(execFile)(script, ['-qc', `stty cols 40; ${client}`, '/dev/null'], { env });
  return stdout.replaceAll('\r\n', '\n');
}

it.runIf(existsSync(script))('a terminal shows tables of its width, and acts on nothing in them', async () => {
  const [table, pretty, refused] = await Promise.all([
    onTerminal('get_users'),
    onTerminal('--format=pretty', 'get_users'),
    onTerminal('get_repo'),
  ]);
  expect(table.split('\n')).toEqual([
    'user_id  username  firstname  lastname',
    '-------  --------  ---------  ---------',
    String.raw`1        admin     Ann\u001…  你好你好…`,
    String.raw`2        bob       \u202egnp`,
    'Some values are cut. --format=pretty shows all.',
    '',
  ]);
  expect(pretty).toContain('Server response \n[\n    {\n        "firstname": "Ann\\u001b[2J\\u009b31m",');
  expect(refused).toBe('Error: no\\u001b[2J\n');
});
