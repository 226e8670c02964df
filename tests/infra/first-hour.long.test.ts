import { spawn } from 'node:child_process';
import { chmod, cp, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import type { Server } from 'node:http';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { parseEnv } from 'node:util';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { ComposeProcesses } from './compose/compose-processes.ts';
import { readCompose } from './compose/compose-file.ts';
import { serveDocker } from './compose/docker-commands.ts';
import { infra, projectRoot } from './project-root.ts';

/** Returns the commands of a page: its blocks that begin with `sh`, in their order. */
function commandsOf(page: string): readonly string[] {
  return [...page.matchAll(/^```sh\n([^]*?)^```$/gm)].map(([, block = '']) => block);
}

const programs = { haproxy: process.env['TRUNKLINE_TEST_HAPROXY'], curl: process.env['TRUNKLINE_TEST_CURL'] };
const missing = Object.entries(programs).flatMap(([name, path]) => (path ? [] : [name]));
if (missing.length > 0) console.warn(`Not found: ${missing.join(', ')}; \`npm test\` finds or fetches them.`);

const publicAddress = '127.0.0.1:5000';

let directory: string;
let processes: ComposeProcesses;
let docker: { url: string; server: Server };

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'trunkline-hour-'));
  // Postgres runs as an unprivileged user when the tests run as root.
  await chmod(directory, 0o755);
  await cp(infra('compose'), join(directory, 'checkout/infra/compose'), { recursive: true });
  const environmentFile = join(directory, 'checkout/infra/compose/.env');
  const readEnvironment = async () => parseEnv(await readFile(environmentFile, 'utf8'));
  processes = new ComposeProcesses(directory, async () =>
    readCompose(infra('compose', 'compose.yaml'), await readEnvironment()),
  );
  docker = await serveDocker(processes);
  const bin = join(directory, 'bin');
  await mkdir(bin);
  const shim = join(projectRoot, 'tests/infra/compose/docker.mjs');
  await writeFile(join(bin, 'docker'), `#!/bin/sh\nexec '${process.execPath}' '${shim}' "$@"\n`, { mode: 0o755 });
  if (programs.curl) await symlink(programs.curl, join(bin, 'curl'));
});
afterEach(async () => {
  await processes?.down();
  docker?.server.close();
  await rm(directory, { recursive: true, force: true });
});

async function run(script: string, cwd: string): Promise<{ code: number | null; output: string }> {
  const child = spawn('sh', ['-eu'], {
    cwd: join(directory, cwd),
    env: {
      PATH: `${join(directory, 'bin')}:${process.env['PATH']}:${dirname(process.execPath)}`,
      HOME: directory,
      TRUNKLINE_TEST_DOCKER: docker.url,
      GIT_CONFIG_NOSYSTEM: '1',
      GIT_TERMINAL_PROMPT: '0',
    },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  child.stdin.end(script);
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
  const [code, out, err] = await Promise.all([ended, text(child.stdout), text(child.stderr)]);
  return { code, output: out + err };
}

it.skipIf(missing.length > 0)(
  'the commands of the page do what it says',
  async () => {
    const page = await readFile(join(projectRoot, 'docs/first-hour.md'), 'utf8');
    const [start = '', ...further] = commandsOf(page);
    const started = await run(start, 'checkout');
    expect([started.code, started.output]).toEqual([0, expect.stringContaining('worker-default')]);
    const address = processes.addresses.get(publicAddress) ?? '';
    const rest = further.map((block, at) => `echo "--- ${at + 2}"\n${block}`).join('\n');
    expect(rest).toContain(publicAddress);
    const { code, output } = await run(rest.replaceAll(publicAddress, address), 'checkout/infra/compose');
    expect([code, output.slice(-2_000)]).toEqual([0, expect.stringContaining(`--- ${further.length + 1}`)]);
  },
  300_000,
);
