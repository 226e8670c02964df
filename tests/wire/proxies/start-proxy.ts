import { randomBytes } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findFreePort, guardedSpawn, StartError } from '@trunkline/local';
import { eventually } from '../../harness/eventually.ts';
import { haproxyConfig, nginxConfig, type ProxySetup } from './documented.ts';

export type ProxyName = 'nginx' | 'HAProxy';

export interface TestProxy {
  readonly url: string;
  /** Directory with the files of the proxy. */
  readonly directory: string;
  close(): Promise<void>;
}

const kinds = {
  nginx: {
    command: process.env['TRUNKLINE_TEST_NGINX'],
    config: nginxConfig,
    args: (directory: string) => ['-p', directory, '-e', 'stderr', '-c', join(directory, 'proxy.conf')],
  },
  HAProxy: {
    command: process.env['TRUNKLINE_TEST_HAPROXY'],
    config: haproxyConfig,
    args: (directory: string) => ['-db', '-f', join(directory, 'proxy.conf')],
  },
} as const;

/** The proxies that `npm test` has found. */
export const foundProxies = (['nginx', 'HAProxy'] as const).filter((name) => kinds[name].command);

const attemptsMax = 3;

/** Waits until the proxy itself answers. */
function answers(url: string): Promise<boolean> {
  const status = async () => {
    const answer = await fetch(url).catch(() => null);
    return answer?.status;
  };
  return eventually(status, (found) => found === 204, 60).then(
    () => true,
    () => false,
  );
}

/** Starts a proxy before gateways, with the configuration of the manual. */
export async function startProxy(
  name: ProxyName,
  more: Pick<ProxySetup, 'from' | 'gateways' | 'idleSeconds' | 'buffering'>,
): Promise<TestProxy> {
  const { command, config, args } = kinds[name];
  if (!command) throw new Error(`npm test has not found ${name}`);
  const directory = await mkdtemp(join(tmpdir(), 'trunkline-proxy-'));
  const ownPath = `/${randomBytes(10).toString('hex')}`;
  const remove = () => rm(directory, { recursive: true, force: true });
  // Proxies do not accept port 0, and another process may take a free port before.
  for (let attempt = 1; ; attempt += 1) {
    const port = await findFreePort();
    const url = `http://127.0.0.1:${port}`;
    await writeFile(join(directory, 'proxy.conf'), await config({ ...more, port, ownPath, directory }));
    try {
      const { child } = await guardedSpawn({
        name,
        command,
        args: args(directory),
        logPath: join(directory, 'proxy.log'),
        stopSignal: 'SIGTERM',
        user: null,
        readyPattern: /(?:)/,
      });
      const ended = child.exited.then(() => false);
      const isOurs = await Promise.race([answers(url + ownPath), ended]);
      const close = async () => {
        await child.kill();
        await remove();
      };
      if (isOurs) return { url, directory, close };
      await child.kill();
      throw new StartError(`${name} does not answer on port ${port}`);
    } catch (error) {
      if (error instanceof StartError && attempt < attemptsMax) continue;
      await remove();
      throw error;
    }
  }
}
