import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, inject, it } from 'vitest';
import { createClient } from '../harness/client.ts';
import { startCluster } from '../harness/cluster.ts';
import { eventually } from '../harness/eventually.ts';
import { suspend } from '../harness/suspend.ts';
import { toolCommand } from '../harness/tool-command.ts';

const run = promisify(execFile);
const gitEnv = { PATH: process.env['PATH'], HOME: '/nonexistent', GIT_TERMINAL_PROMPT: '0' };

/** Returns what `git ls-remote` says. */
async function list(url: string): Promise<string> {
  const [program, ...args] = toolCommand('TRUNKLINE_GIT_COMMAND', 'git');
  const { stdout, stderr } = await run(program, [...args, 'ls-remote', url], { env: gitEnv }).catch(
    (error: unknown) => error as { stdout: string; stderr: string },
  );
  return stdout + stderr;
}

it('E5 git is told that the service is away, not that its key is wrong, by a gateway that stops beside a frozen bus', async () => {
  // Git takes a connection that is closed without an answer for a refused login, and forgets the password.
  const env = { TRUNKLINE_DRAIN_SECONDS: '0', TRUNKLINE_STOP_SECONDS: '1' };
  const cluster = await startCluster({ postgresUrl: inject('postgresUrl'), gateways: 1, workers: 1, env });
  try {
    await createClient(cluster.baseUrl, cluster.adminKey).result('create_repo', { repo_name: 'a', repo_type: 'git' });
    const url = new URL('/a', cluster.baseUrl);
    Object.assign(url, { username: 'admin', password: cluster.adminKey });
    expect(await list(url.href)).toBe('');
    const connections = async () => {
      const text = await (await fetch(cluster.metricsUrls[0] ?? '')).text();
      return Number(/^trunkline_http_connections (\d+)$/m.exec(text)?.[1]);
    };
    // The other client keeps its own.
    const before = await connections();
    await suspend(cluster.nats.pid);
    const heard = list(url.href);
    await eventually(connections, (count) => count === before + 1);
    await cluster.gateways[0]?.stop();
    expect(await heard).toContain('503');
  } finally {
    process.kill(cluster.nats.pid, 'SIGCONT');
    await cluster.stop();
  }
}, 120_000);
