import { execFile } from 'node:child_process';
import { availableParallelism, totalmem } from 'node:os';
import { promisify } from 'node:util';
import { natsServerPath } from '@trunkline/local';
import postgres from 'postgres';
import { git, hg } from '../../harness/remotes.ts';
import type { Machine } from './figures.ts';

const versionIn = (text: string) => /\d+(?:\.\d+)+/.exec(text)?.[0] ?? 'unknown';

async function postgresVersion(url: string): Promise<string> {
  const sql = postgres(url, { max: 1 });
  const [row] = await sql`show server_version`;
  await sql.end();
  return versionIn(String(row?.['server_version']));
}

/** Returns what the figures depend on, and nothing that names the machine. */
export async function readMachine(postgresUrl: string): Promise<Machine> {
  const { stdout: nats } = await promisify(execFile)(natsServerPath(), ['--version']);
  return {
    cores: availableParallelism(),
    memoryGb: Math.round(totalmem() / 1e9),
    node: process.versions.node,
    postgres: await postgresVersion(postgresUrl),
    nats: versionIn(nats),
    git: versionIn(await git('.', '--version')),
    hg: versionIn(await hg('.', '--version', '-q')),
  };
}
