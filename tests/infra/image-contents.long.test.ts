import { execFile } from 'node:child_process';
import { chmod, mkdir, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { projectRoot } from './project-root.ts';

const execute = promisify(execFile);
const isRoot = process.getuid?.() === 0;
/** Settings of which the first that is wrong ends a process after it has loaded all of its modules. */
const noSettings = { PATH: process.env['PATH'], HOME: '/nonexistent', TRUNKLINE_METRICS_PORT: '0' };

let directory: string;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'trunkline-image-'));
  await chmod(directory, 0o755);
  const source = join(directory, 'checkout');
  await mkdir(source);
  const command = `git ls-files -co --exclude-standard -z | tar -c --null --files-from=- --ignore-failed-read | tar -x -C '${source}'`;
  await execute('sh', ['-c', command], { cwd: projectRoot });
  const env = { ...process.env, CI: '1' };
  await execute('sh', [join(source, 'infra/images/build-trees.sh'), join(directory, 'out')], { env, maxBuffer: 1e8 });
  await execute('chmod', ['-R', 'a-w', join(directory, 'out')]);
}, 1_200_000);
afterAll(async () => {
  await execute('chmod', ['-R', 'u+w', directory]);
  await rm(directory, { recursive: true });
});

/** Runs a program of an image as another user, when this one is root; returns its last line. */
async function outcome(app: string, file: string, command: readonly string[]): Promise<string> {
  const words = [process.execPath, join(directory, 'out', app, file), ...command];
  const other = isRoot ? ['setpriv', '--reuid=65534', '--regid=65534', '--clear-groups', '--'] : [];
  const [program = '', ...args] = [...other, ...words];
  const { stderr = '' } = await execute(program, args, { env: noSettings, cwd: '/' }).catch(
    (error: { stderr?: string }) => error,
  );
  return stderr.trim().split('\n').at(-1) ?? '';
}

it.for([
  ['gateway', 'dist/main.js', 'TRUNKLINE_DATABASE_URL must be set'],
  ['vcs-worker', 'dist/main.js', 'TRUNKLINE_DATABASE_URL must be set'],
  ['vcs-worker', 'dist/migrate.js', 'TRUNKLINE_MIGRATE_URL must be set'],
  ['trunklinectl', 'bin/trunklinectl.js', 'TRUNKLINE_DATABASE_URL must be set', 'status'],
] as const)('%s has everything that %s loads', async ([app, file, message, ...command]) => {
  expect(await outcome(app, file, command)).toContain(message);
});

/** Sources and tests, of packages that are in the directory of their name. */
const own = /(?:^|@trunkline\/[^/]+\/)(?:src\/|dist\/.*\.test\.js$)/;
const compiler = /(?:^|\/)typescript\/lib\//;

it.for(['gateway', 'vcs-worker', 'trunklinectl'])('%s has no sources, compiler or own tests', async (app) => {
  const files = await readdir(join(directory, 'out', app), { recursive: true });
  const unwanted = files.filter((file) => own.test(file) || compiler.test(file));
  expect(unwanted.slice(0, 5)).toEqual([]);
});
