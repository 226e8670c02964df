import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startFakeService, type FakeService } from '../harness/fake-service.ts';
import { serviceApi } from '../harness/service-api.ts';

/** What scripts for the clients of RhodeCode and Kallithea, and for earlier releases of this one, rely on. */

const key = 'a'.repeat(40);
const record = { zebra: 1, apple: [{ b: null, a: 'Grüße' }], Name: '-', 'last changeset': {} };
const results: Readonly<Record<string, unknown>> = { get_repo: record, get_repos: [record], pull: 'Pulled from `a`' };

let service: FakeService;
let home: string;
let words: readonly string[];

beforeAll(async () => {
  service = await startFakeService(({ method, args }) => {
    const failed = args['fail'] !== undefined;
    return { result: failed ? null : (results[method] ?? null), error: failed ? 'no `x`\n"y"' : null };
  });
  words = [`--apihost=${service.host}`, `--apikey=${key}`];
  home = await mkdtemp(join(tmpdir(), 'trunkline-home-'));
});
afterAll(async () => {
  service.close();
  await rm(home, { recursive: true, force: true });
});

const sentBy = (method: string) => service.received.filter(({ call }) => call.method === method);
const head = (method: string) => `Calling method ${method} => ${service.host}\nServer response \n`;

describe('old scripts read the same bytes', () => {
  it('of results and errors, with the exit codes of each', async () => {
    const members =
      '"Name": "-",\n    "apple": [\n        {\n            "a": "Grüße",\n            "b": null\n        }\n    ],';
    const pretty = `{\n    ${members}\n    "last changeset": {},\n    "zebra": 1\n}`;
    const list = `[\n    ${pretty.replaceAll('\n', '\n    ')}\n]`;
    const json = JSON.stringify(record);
    const runs: readonly (readonly [readonly string[], number, string])[] = [
      [['get_repo'], 0, `${head('get_repo')}${pretty}\n`],
      [['--format=pretty', 'get_repos'], 0, `${head('get_repos')}${list}\n`],
      [['pull', 'repoid:a'], 0, `${head('pull')}"Pulled from \`a\`"\n`],
      [['get_repo', 'fail:1'], 1, `${head('get_repo')}ERROR:"no \`x\`\\n\\"y\\""\n`],
      [['--format', 'json', 'get_repo'], 0, `${json}\n`],
      [['--format=json', 'pull'], 0, '"Pulled from `a`"\n'],
      [['--format=json', 'test'], 0, 'null\n'],
      [['--format=json', 'get_repo', 'fail:1'], 1, '"no `x`\\n\\"y\\""\n'],
    ];
    const ran = await Promise.all(runs.map(([call]) => serviceApi([...words, ...call])));
    expect(ran.map(({ exitCode, stdout }) => [exitCode, stdout])).toEqual(runs.map(([, ...expected]) => expected));
  });

  it('of wrong command lines', async () => {
    const noConnection = 'Could not find config file and missing --apikey or --apihost in params\n';
    const runs: readonly (readonly [readonly string[], string])[] = [
      [[...words, 'get_repo', 'repoid'], 'Error parsing arguments\n'],
      [[...words, 'get_repo', 'repoid=a'], 'Error parsing arguments\n'],
      [['get_repo', `--apikey=${key}`], noConnection],
      [['--save-config', `--apihost=${service.host}`], '--save-config requires --apikey and --apihost\n'],
    ];
    const ran = await Promise.all(runs.map(([line]) => serviceApi(line)));
    expect(ran).toEqual(runs.map(([, stderr]) => ({ exitCode: 2, stdout: '', stderr })));
  });
});

describe('old scripts send the same calls', () => {
  it('with all values as texts, split at the first colon', async () => {
    const values = {
      file: '@/etc/passwd',
      twice: '@@a',
      input: '-',
      at: '@-',
      empty: '',
      url: 'https://h:1/a?b=@c',
      ldap: 'uid=bent,dc=example',
      flag: 'true',
      number: '7',
      json: '{"a":[1]}',
      equals: '=@x',
      lines: 'a\nb',
    };
    const items = Object.entries(values).map(([name, value]) => `${name}:${value}`);
    expect(await serviceApi([...words, 'all_values', 'flag:false', ...items])).toMatchObject({
      exitCode: 0,
      stderr: '',
    });
    const [sent, ...more] = sentBy('all_values');
    expect(more).toEqual([]);
    expect(sent).toMatchObject({ verb: 'POST', path: '/_admin/api', headers: { 'content-type': 'text/plain' } });
    expect(sent?.call).toEqual({ id: expect.any(Number), api_key: key, method: 'all_values', args: values });
  });

  it('with host and key of options, else the environment, else the file, each by itself', async () => {
    const own = join(home, 'own');
    await mkdir(join(own, '.config'), { recursive: true });
    // Mode and layout of the older clients' files.
    await writeFile(join(own, '.config/trunkline'), `{"apihost": "${service.host}", "apikey": "of-file"}`, {
      mode: 0o644,
    });
    const environment = { HOME: own, TRUNKLINE_APIHOST: service.host, TRUNKLINE_APIKEY: 'of-environment' };
    await Promise.all([
      serviceApi(['by_file'], { HOME: own }),
      serviceApi(['by_environment'], environment),
      serviceApi(['by_option', '--apikey=of-option'], environment),
    ]);
    const keys = ['by_file', 'by_environment', 'by_option'].map((method) => sentBy(method)[0]?.call.api_key);
    expect(keys).toEqual(['of-file', 'of-environment', 'of-option']);
  });
});

it('old scripts find the same configuration file, and the same line about it', async () => {
  const path = join(home, '.config/trunkline');
  const save = ['--save-config', ...words];
  expect((await serviceApi(save, { HOME: home })).stdout).toBe(`Created new config in ${path}\n`);
  expect(await serviceApi(save, { HOME: home })).toEqual({
    exitCode: 0,
    stdout: `Updated config in ${path}\n`,
    stderr: '',
  });
  expect(await readFile(path, 'utf8')).toBe(`{\n    "apikey": "${key}",\n    "apihost": "${service.host}"\n}\n`);
});
