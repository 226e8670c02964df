import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { it } from 'vitest';
import { eventually } from '../harness/eventually.ts';
import { report } from './median.ts';

const projectRoot = fileURLToPath(new URL('../..', import.meta.url));

/** Returns the seconds until `npm start` is ready; stops it afterwards. */
async function startOnce(checkout: string, dataDir: string): Promise<number> {
  const started = performance.now();
  const env = { ...process.env, TRUNKLINE_DATA_DIR: dataDir, TRUNKLINE_PORT: '0' };
  const child = spawn('npm', ['start'], { cwd: checkout, env, stdio: 'ignore' });
  const exited = once(child, 'exit');
  await eventually(async () => existsSync(join(dataDir, 'stack.json')), Boolean, 300);
  const seconds = (performance.now() - started) / 1000;
  child.kill('SIGTERM');
  await exited;
  await eventually(
    async () => existsSync(join(dataDir, 'stack.json')),
    (there) => !there,
  );
  return seconds;
}

it('time of npm start in a fresh clone, and of a second start', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'trunkline-start-'));
  await chmod(directory, 0o755);
  const checkout = join(directory, 'checkout');
  const dataDir = join(directory, 'data');
  try {
    await promisify(execFile)('git', ['clone', '-q', projectRoot, checkout]);
    const first = await startOnce(checkout, dataDir);
    const again = await startOnce(checkout, dataDir);
    report('npm start, seconds to ready', { first, again });
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}, 600_000);
