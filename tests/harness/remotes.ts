import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { hgRunner } from '../../apps/vcs-worker/src/vcs/testing/hg-process.ts';
import { toolCommand } from './tool-command.ts';
import { author, mainBranch, someMessage } from './unique-name.ts';

const run = promisify(execFile);

const plainEnv = {
  PATH: process.env['PATH'],
  HOME: '/nonexistent',
  HGRCPATH: '',
  HGPLAIN: '1',
  HGENCODING: 'utf-8',
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_AUTHOR_NAME: author.name,
  GIT_AUTHOR_EMAIL: 'ann@example.com',
  GIT_COMMITTER_NAME: author.name,
  GIT_COMMITTER_EMAIL: 'ann@example.com',
  TZ: 'UTC',
  // Each commit would start another process, which finds nothing to do.
  GIT_CONFIG_COUNT: '1',
  GIT_CONFIG_KEY_0: 'maintenance.auto',
  GIT_CONFIG_VALUE_0: 'false',
};

/** Runs git in a directory, without settings of the system or a user; returns stdout. */
export async function git(cwd: string, ...args: string[]): Promise<string> {
  const [file, ...prefix] = toolCommand('TRUNKLINE_GIT_COMMAND', 'git');
  const { stdout } = await run(file, [...prefix, ...args], { cwd, env: plainEnv, maxBuffer: 1 << 28 });
  return stdout;
}

let runHg: ReturnType<typeof hgRunner> | undefined;

/** Runs Mercurial in a directory, without settings of the system or a user; returns stdout. */
export async function hg(cwd: string, ...args: string[]): Promise<string> {
  runHg ??= hgRunner(toolCommand('TRUNKLINE_HG_COMMAND', 'hg'), plainEnv);
  return runHg(cwd, ...args);
}

export interface Remote {
  /** Path of the work tree to commit in. */
  readonly directory: string;
  readonly url: string;
  /** Commits these files and returns the full id. */
  commit(files: Readonly<Record<string, string>>, message?: string): Promise<string>;
  close(): Promise<void>;
}

async function writeFiles(directory: string, files: Readonly<Record<string, string>>): Promise<void> {
  for (const [name, content] of Object.entries(files)) {
    await mkdir(join(directory, name, '..'), { recursive: true });
    await writeFile(join(directory, name), content);
  }
}

type Backend = (request: IncomingMessage, response: ServerResponse) => void;

async function listen(answer: Backend) {
  const server = createServer(answer);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const port = typeof address === 'object' && address ? address.port : 0;
  return {
    port,
    close: () => new Promise<void>((resolve) => (server.close(() => resolve()), server.closeAllConnections())),
  };
}

/** Returns a listener that runs `git http-backend` for each request, as a web server would. */
function httpBackend(root: string): Backend {
  return (request, response) => {
    const url = new URL(request.url ?? '/', 'http://localhost');
    const [file, ...prefix] = toolCommand('TRUNKLINE_GIT_COMMAND', 'git');
    const child = spawn(file, [...prefix, 'http-backend'], {
      env: {
        ...plainEnv,
        GIT_PROJECT_ROOT: root,
        GIT_HTTP_EXPORT_ALL: '1',
        PATH_INFO: url.pathname,
        QUERY_STRING: url.search.slice(1),
        REQUEST_METHOD: request.method,
        CONTENT_TYPE: request.headers['content-type'] ?? '',
        HTTP_CONTENT_ENCODING: request.headers['content-encoding'] ?? '',
        GIT_PROTOCOL: String(request.headers['git-protocol'] ?? ''),
        REMOTE_USER: 'tester',
      },
      stdio: ['pipe', 'pipe', 'ignore'],
    });
    request.pipe(child.stdin);
    child.stdin.on('error', () => {});
    let head = Buffer.alloc(0);
    let begun = false;
    child.stdout.on('data', (chunk: Buffer) => {
      if (begun) return void response.write(chunk);
      head = Buffer.concat([head, chunk]);
      const end = head.indexOf('\r\n\r\n');
      if (end < 0) return;
      begun = true;
      for (const line of head.subarray(0, end).toString().split('\r\n')) {
        const colon = line.indexOf(':');
        const [name, value] = [line.slice(0, colon), line.slice(colon + 1).trim()];
        if (name === 'Status') response.statusCode = Number.parseInt(value, 10);
        else response.setHeader(name, value);
      }
      response.write(head.subarray(end + 4));
    });
    child.stdout.on('end', () => response.end());
  };
}

/** Returns the id of the commit that git has just made, which is in a file of its own. */
async function readHead(directory: string): Promise<string> {
  const read = async (name: string) => (await readFile(join(directory, '.git', name), 'utf8')).trim();
  const head = await read('HEAD');
  return head.startsWith('ref: ') ? read(head.slice('ref: '.length)) : head;
}

/** Returns true for a fetch by native git, as opposed to the request of the worker before it starts git. */
export function isNativeGitFetch(request: IncomingMessage): boolean {
  return request.method === 'POST' && /^git\/\d/.test(request.headers['user-agent'] ?? '');
}

/** Makes a git repository served over HTTP on loopback; `intercept` returns true when it answers a request itself. */
export async function makeGitRemote(
  options: { intercept?: (request: IncomingMessage, response: ServerResponse) => boolean | Promise<boolean> } = {},
): Promise<Remote> {
  const root = await mkdtemp(join(tmpdir(), 'trunkline-remote-git-'));
  const directory = join(root, 'remote');
  await mkdir(directory);
  await git(directory, 'init', '-q', '-b', mainBranch, '.');
  const backend = httpBackend(root);
  const server = await listen((request, response) => {
    void (async () => {
      if (!(await options.intercept?.(request, response))) backend(request, response);
    })();
  });
  return {
    directory,
    url: `http://127.0.0.1:${server.port}/remote/.git`,
    async commit(files, message = someMessage) {
      await writeFiles(directory, files);
      await git(directory, 'add', '-A');
      await git(directory, 'commit', '-q', '-m', message);
      return readHead(directory);
    },
    async close() {
      await server.close();
      await rm(root, { recursive: true, force: true });
    },
  };
}

async function serveHg(directory: string, settings: readonly string[]): Promise<{ child: ChildProcess; port: number }> {
  const [file, ...prefix] = toolCommand('TRUNKLINE_HG_COMMAND', 'hg');
  const options = ['-a', '127.0.0.1', '-p', '0', '--print-url', ...settings.map((one) => `--config=${one}`)];
  const child = spawn(file, [...prefix, 'serve', ...options], {
    cwd: directory,
    env: { ...plainEnv, PYTHONUNBUFFERED: '1' },
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const lines = createInterface({ input: child.stdout });
  const [line] = await once(lines, 'line');
  return { child, port: Number(new URL(String(line)).port) };
}

/** Makes a Mercurial repository served by `hg serve`, with these settings, on loopback. */
export async function makeHgRemote(settings: readonly string[] = []): Promise<Remote> {
  const directory = await mkdtemp(join(tmpdir(), 'trunkline-remote-hg-'));
  await hg(directory, 'init', '.');
  const { child, port } = await serveHg(directory, settings);
  return {
    directory,
    url: `http://127.0.0.1:${port}/`,
    async commit(files, message = someMessage) {
      await writeFiles(directory, files);
      await hg(directory, 'addremove', '-q');
      await hg(directory, 'commit', '-q', '-m', message, '-u', author.full);
      return (await hg(directory, 'log', '-r', 'tip', '-T', '{node}')).trim();
    },
    async close() {
      child.kill('SIGKILL');
      await once(child, 'exit');
      await rm(directory, { recursive: true, force: true });
    },
  };
}

export const makeRemote = { git: () => makeGitRemote(), hg: () => makeHgRemote() };
