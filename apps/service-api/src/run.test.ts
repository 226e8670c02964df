import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { run } from './run.ts';

interface ReceivedRequest {
  readonly verb: string | undefined;
  readonly path: string | undefined;
  readonly headers: IncomingHttpHeaders;
  readonly body: { id: number; api_key: string; method: string; args: Record<string, string> };
}

const key = 'a'.repeat(40);
const withKey = `--apikey=${key}`;

let server: Server;
let host: string;
let received: ReceivedRequest[];
let answer: (id: number) => string;
let folder: string;

beforeAll(async () => {
  server = createServer((request, response) => {
    void text(request).then((body) => {
      const parsed: ReceivedRequest['body'] = JSON.parse(body);
      received.push({ verb: request.method, path: request.url, headers: request.headers, body: parsed });
      response.end(answer(parsed.id));
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  host = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`;
});

afterAll(() => server.close());

beforeEach(async () => {
  received = [];
  answer = (id) => JSON.stringify({ id, result: null, error: null });
  folder = await mkdtemp(join(tmpdir(), 'service-api-'));
});

afterEach(() => rm(folder, { recursive: true }));

async function runIn({ columns, input = '' }: { columns?: number; input?: string }, ...words: string[]) {
  const shown = { out: '', err: '' };
  const config = { apihost: undefined, apikey: undefined, profile: undefined, configPath: join(folder, 'trunkline') };
  const exitCode = await run(words, config, {
    out: (chunk) => void (shown.out += chunk),
    err: (chunk) => void (shown.err += chunk),
    input: () => Readable.from([Buffer.from(input)]),
    columns,
  });
  return { exitCode, ...shown };
}

const runClient = (...words: string[]) => runIn({}, ...words);

describe('a call', () => {
  it('posts one request with string arguments', async () => {
    await runClient('create_repo', 'repo_name:Grüße', withKey, 'private:true', `--apihost=${host}//`);
    expect(received).toEqual([
      {
        verb: 'POST',
        path: '/_admin/api',
        headers: expect.objectContaining({ 'content-type': 'text/plain' }),
        body: {
          id: expect.any(Number),
          api_key: key,
          method: 'create_repo',
          args: { repo_name: 'Grüße', private: 'true' },
        },
      },
    ]);
    expect(received[0]?.body.id).toBeGreaterThanOrEqual(1);
    expect(received[0]?.body.id).toBeLessThanOrEqual(9_998);
  });

  it('prints method, host and result', async () => {
    answer = (id) => JSON.stringify({ id, result: { b: 'ü', a: 1 }, error: null });
    expect(await runClient('anything', withKey, `--apihost=${host}`)).toEqual({
      exitCode: 0,
      out: `Calling method anything => ${host}\nServer response \n{\n    "a": 1,\n    "b": "ü"\n}\n`,
      err: '',
    });
  });

  it('prints an error of the service and exits 1', async () => {
    answer = (id) => JSON.stringify({ id, result: null, error: 'Missing non optional `repoid` arg in JSON DATA' });
    expect(await runClient('get_repo', withKey, `--apihost=${host}`)).toEqual({
      exitCode: 1,
      out: `Calling method get_repo => ${host}\nServer response \nERROR:"Missing non optional \`repoid\` arg in JSON DATA"\n`,
      err: '',
    });
  });

  it('prints nothing but JSON with --format=json', async () => {
    const json = ['test', withKey, `--apihost=${host}`, '--format=json'];
    answer = (id) => JSON.stringify({ id, result: [{ b: 1, a: 2 }], error: null });
    expect(await runClient(...json)).toEqual({ exitCode: 0, out: '[{"b":1,"a":2}]\n', err: '' });
    answer = (id) => JSON.stringify({ id, result: null, error: 'no' });
    expect(await runClient(...json)).toEqual({ exitCode: 1, out: '"no"\n', err: 'Error: no\n' });
  });

  it('prints a reply of eight megabytes whole', async () => {
    const result = 'é'.repeat(4_000_000);
    answer = (id) => JSON.stringify({ id, result, error: null });
    const { exitCode, out } = await runClient('test', withKey, `--apihost=${host}`, '--format=json');
    expect(exitCode).toBe(0);
    expect(out === `"${result}"\n`).toBe(true);
  });

  it.each([
    ['get_repo', ['repo:x', 'repoid:1', 'a b:2'], 'get_repo has no argument "repo", "a b"'],
    ['get_rep', ['repoid:1'], 'This client does not know the method "get_rep", did you mean get_repo?'],
    ['Get_Repo', [], 'This client does not know the method "Get_Repo", did you mean get_repo?'],
  ])('of %s with %j is sent with one warning, and with --strict refused', async (method, items, text) => {
    const words = [method, ...items, withKey, `--apihost=${host}`, '--format=json'];
    expect(await runClient(...words)).toEqual({ exitCode: 0, out: 'null\n', err: `Warning: ${text}\n` });
    expect(received.map(({ body }) => [body.method, Object.keys(body.args).length])).toEqual([[method, items.length]]);
    expect(await runClient(...words, '--strict')).toEqual({ exitCode: 2, out: '', err: `${text}\n` });
    expect(received).toHaveLength(1);
  });

  it('exits 1 with --fail-on-null when the result is null, after printing it', async () => {
    const words = ['get_repo', 'repoid:1', withKey, `--apihost=${host}`, '--format=json'];
    expect(await runClient(...words)).toEqual({ exitCode: 0, out: 'null\n', err: '' });
    expect(await runClient(...words, '--fail-on-null')).toEqual({
      exitCode: 1,
      out: 'null\n',
      err: 'The result is null\n',
    });
    answer = (id) => JSON.stringify({ id, result: false, error: null });
    expect((await runClient(...words, '--fail-on-null')).exitCode).toBe(0);
    answer = (id) => JSON.stringify({ id, result: null, error: 'no' });
    expect(await runClient(...words, '--fail-on-null')).toMatchObject({ exitCode: 1, err: 'Error: no\n' });
  });

  it('reads key and values from files and standard input', async () => {
    const file = join(folder, 'value');
    await writeFile(file, `${key}\n`);
    const words = ['anything', 'a:@x', `--apihost=${host}`];
    await runIn({ input: 'two\nlines\n' }, ...words, `--apikey=@${file}`, 'b=-');
    await runIn({ input: ` ${key}\r\n` }, ...words, '--apikey', '-', `b=@${file}`);
    expect(received.map(({ body }) => [body.api_key, body.args])).toEqual([
      [key, { a: '@x', b: 'two\nlines' }],
      [key, { a: '@x', b: key }],
    ]);
    const twice = await runIn({ input: key }, ...words, '--apikey=-', 'b=-');
    expect(twice).toMatchObject({ exitCode: 2, err: 'Standard input cannot be the value of both --apikey and "b"\n' });
    const empty = await runIn({ input: ' \n' }, ...words, '--apikey=-');
    expect(empty).toMatchObject({ exitCode: 2, err: 'Option --apikey needs a value, and what it names is empty\n' });
    expect(received).toHaveLength(2);
  });

  it('shows a table on a terminal, and an error on stderr alone', async () => {
    const words = ['anything', withKey, `--apihost=${host}`];
    answer = (id) =>
      JSON.stringify({ id, result: [{ a: 'x\u001b[2J', long_name: 'y'.repeat(30), b: 1 }], error: null });
    const table = 'a          long_name\n---------  ---------\nx\\u001b[…  yyyyyyyy…\n';
    const shown = await runIn({ columns: 20 }, ...words);
    expect(shown).toEqual({ exitCode: 0, out: table, err: 'Not shown: b. --format=pretty shows all.\n' });
    expect((await runIn({ columns: 20 }, ...words, '--format=pretty')).out).toContain('Server response \n[\n    {');
    expect((await runClient(...words, '--format=table')).out.split('\n')[0]).toMatch(/^a +long_name +b$/);
    answer = (id) => JSON.stringify({ id, result: null, error: 'no\u001b[2J' });
    const refused = { exitCode: 1, out: '', err: 'Error: no\\u001b[2J\n' };
    expect(await runIn({ columns: 80 }, ...words)).toEqual(refused);
  });

  it('of a method that is like none is sent without a warning, and with --strict refused', async () => {
    const words = ['anything', 'a:1', withKey, `--apihost=${host}`];
    expect((await runClient(...words)).err).toBe('');
    const refused = { exitCode: 2, out: '', err: 'This client does not know the method "anything"\n' };
    expect(await runClient(...words, '--strict')).toEqual(refused);
  });

  it('by an earlier name of a method or an argument is sent without a warning', async () => {
    const words = ['revoke_users_group_permission', 'repoid:1', 'usersgroupid:2', withKey, `--apihost=${host}`];
    expect(await runClient(...words, '--strict')).toMatchObject({ exitCode: 0, err: '' });
  });

  it('reads host and key from the file that --save-config wrote', async () => {
    await runClient('--save-config', withKey, `--apihost=${host}`);
    expect((await runClient('test')).exitCode).toBe(0);
    expect(received[0]?.body.api_key).toBe(key);
  });
});

describe('network failures', () => {
  it.each([
    ['a page', () => '<html>gateway</html>'],
    ['another id', (id: number) => JSON.stringify({ id: id + 1, result: 1, error: null })],
    ['nothing', () => ''],
  ])('%s instead of the reply causes one line on stderr and exit code 3', async (_case, reply) => {
    answer = reply;
    const { exitCode, out, err } = await runClient('test', withKey, `--apihost=${host}`);
    expect({ exitCode, out }).toEqual({ exitCode: 3, out: `Calling method test => ${host}\n` });
    expect(err).toBe(`The response of ${host} (HTTP 200) is not a reply to this call\n`);
  });

  it('a refused connection causes one line on stderr and exit code 3', async () => {
    const gone = createServer().listen(0, '127.0.0.1');
    await once(gone, 'listening');
    const address = gone.address();
    const port = typeof address === 'object' ? address?.port : '';
    gone.close();
    await once(gone, 'close');
    const { exitCode, err } = await runClient('test', withKey, `--apihost=http://localhost:${port}`);
    expect(exitCode).toBe(3);
    expect(err).toMatch(/^Could not call http:\/\/localhost:\d+: connect ECONNREFUSED .*\n$/);
  });
});

describe('usage', () => {
  it.each([
    [[], 'Please specify method name\n'],
    [['test'], 'Could not find config file and missing --apikey or --apihost in params\n'],
    [['test', 'word', withKey], 'Error parsing arguments\n'],
    [['--save-config', withKey], '--save-config requires --apikey and --apihost\n'],
    [['--save-config', withKey, '--apihost=h:1'], 'Invalid apihost: expected http://<host> or https://<host>\n'],
    [['test', withKey, '--apihost=h:1'], 'Invalid apihost: expected http://<host> or https://<host>\n'],
    [['get_rep', '--help'], 'No help for get_rep: this client does not know the method, did you mean get_repo?\n'],
    [['nosuch', '--help'], 'No help for nosuch: this client does not know the method\n'],
  ])('%j exits 2', async (words, err) => {
    expect(await runClient(...words)).toEqual({ exitCode: 2, out: '', err });
    expect(received).toEqual([]);
  });

  it('saves the configuration without a call', async () => {
    const path = join(folder, 'trunkline');
    const save = ['--save-config', withKey, '--apihost', host, 'test'];
    expect(await runClient(...save)).toEqual({ exitCode: 0, out: `Created new config in ${path}\n`, err: '' });
    expect(await runClient(...save)).toEqual({ exitCode: 0, out: `Updated config in ${path}\n`, err: '' });
    expect(JSON.parse(await readFile(path, 'utf8'))).toEqual({ apikey: key, apihost: host });
    expect(received).toEqual([]);
  });

  it('saves to the path of --config', async () => {
    const path = join(folder, 'elsewhere');
    const { out } = await runClient('--save-config', withKey, `--apihost=${host}`, '--config', path);
    expect(out).toBe(`Created new config in ${path}\n`);
  });

  it('saves a profile, with a key that is not on the command line, and uses it', async () => {
    const path = join(folder, 'trunkline');
    const save = ['--save-config', `--apihost=${host}`, '--apikey=-', '--profile=work'];
    const saved = await runIn({ input: key }, ...save);
    expect(saved).toEqual({ exitCode: 0, out: `Created profile work in ${path}\n`, err: '' });
    expect((await runIn({ input: key }, ...save)).out).toBe(`Updated profile work in ${path}\n`);
    expect(await runClient('test', '--profile', 'work')).toMatchObject({ exitCode: 0 });
    expect(received[0]?.body.api_key).toBe(key);
    expect((await runClient('completion', 'profiles')).out).toBe('work\n');
    const refused = await runClient('--save-config', withKey, `--apihost=${host}`, '--profile=a b');
    expect(refused).toMatchObject({ exitCode: 2, err: expect.stringMatching(/^Invalid profile: /) });
  });

  it.each([[[]], [['tcsh']], [['bash', 'zsh']]])('completion of %j exits 2', async (shells) => {
    expect(await runClient('completion', ...shells)).toEqual({
      exitCode: 2,
      out: '',
      err: 'completion needs the name of a shell: bash, zsh, fish\n',
    });
  });

  it('sends a method called completion', async () => {
    await runClient('completion', 'a:b', withKey, `--apihost=${host}`);
    expect(received[0]?.body).toMatchObject({ method: 'completion', args: { a: 'b' } });
  });

  it('prints help and version without a call', async () => {
    expect((await runClient('--help')).out).toContain('get_repo_nodes');
    expect((await runClient('--apikey=k', 'get_repo', 'repoid:1', '-h')).out).toContain('repoid');
    expect((await runClient('--version')).out).toMatch(/^\d+\.\d+\.\d+\n$/);
    expect(received).toEqual([]);
  });
});
