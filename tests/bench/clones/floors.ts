import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { startApp } from '@trunkline/local';
import * as v from 'valibot';
import { toolCommand } from '../../harness/tool-command.ts';

/** A server of the tool itself. */
export interface Floor {
  readonly pid: number;
  readonly port: number;
  stop(): Promise<unknown>;
}

/** Serves the git repositories below a directory by `git http-backend`. */
export async function startHttpBackend(directory: string): Promise<Floor> {
  const app = await startApp({
    entry: fileURLToPath(new URL('../baseline/http-backend.mjs', import.meta.url)),
    env: { ROOT: directory, GIT_COMMAND: JSON.stringify(toolCommand('TRUNKLINE_GIT_COMMAND', 'git')) },
  });
  const { port } = v.parse(v.object({ port: v.number() }), app.ready);
  return { pid: app.pid, port, stop: () => app.kill() };
}

export interface BareServers {
  /** Port of a server that has the bytes in memory. */
  readonly alone: Floor;
  /** Port of one that asks the first for them. */
  readonly before: Floor;
}

async function startBare(env: Record<string, string>): Promise<Floor> {
  const app = await startApp({ entry: fileURLToPath(new URL('../baseline/bare-bytes.mjs', import.meta.url)), env });
  const { port } = v.parse(v.object({ port: v.number() }), app.ready);
  return { pid: app.pid, port, stop: () => app.kill() };
}

/** Sends the bytes of a file to everybody who fetches, by one server and by another one before it. */
export async function startBareServers(path: string): Promise<BareServers> {
  const alone = await startBare({ BYTES: path });
  return { alone, before: await startBare({ UPSTREAM: `http://127.0.0.1:${alone.port}` }) };
}

/** Serves a Mercurial repository by hgweb. */
export async function startHgweb(path: string): Promise<Floor> {
  const [file, ...prefix] = toolCommand('TRUNKLINE_HG_COMMAND', 'hg');
  const options = ['serve', '-a', '127.0.0.1', '-p', '0', '--print-url', '--config', 'server.zstdlevel=1'];
  const child = spawn(file, [...prefix, ...options], {
    cwd: path,
    env: { PATH: process.env['PATH'], HOME: '/nonexistent', HGRCPATH: '', PYTHONUNBUFFERED: '1' },
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const exited = once(child, 'exit');
  const [line] = await once(createInterface({ input: child.stdout }), 'line');
  const stop = () => {
    child.kill('SIGKILL');
    return exited;
  };
  return { pid: child.pid ?? 0, port: Number(new URL(String(line)).port), stop };
}
