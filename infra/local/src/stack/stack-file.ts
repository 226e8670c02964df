import { existsSync, readFileSync, rmSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import * as v from 'valibot';
import { writePrivateFile } from '../secret-file.ts';

export interface StackProcess {
  readonly role: 'supervisor' | 'gateway' | 'vcs-worker' | 'nats-server' | 'postgres';
  readonly pid: number;
  /** Port on which the process serves, for a worker that of its metrics; null for the supervisor. */
  readonly port: number | null;
}

/** Description of the running stack for programs on this machine; stored as `stack.json` in the data directory. */
export interface StackInfo {
  readonly baseUrl: string;
  readonly baseUrls: readonly string[];
  /** URL of the metrics of the first gateway. */
  readonly metricsUrl: string;
  /** URLs of the metrics of all gateways, then of all workers. */
  readonly metricsUrls: readonly string[];
  /** The first administrator whose key works; absent when there is none. */
  readonly adminUser?: string;
  /** Present at the first start only. */
  readonly adminPassword?: string;
  readonly adminApiKey?: string;
  /** The directories of the storages, by name. */
  readonly storages: Readonly<Record<string, string>>;
  /** The variables that gateways and workers get beside those that `npm start` sets. */
  readonly settings: Readonly<Record<string, string>>;
  /** URL of the role that owns the database. */
  readonly databaseUrl: string;
  /** URL of a user with all permissions. */
  readonly natsUrl: string;
  readonly processes: readonly StackProcess[];
}

const formerSchema = v.object({ processes: v.array(v.object({ role: v.string(), pid: v.number() })) });

export function writeStackFile(path: string, info: StackInfo): void {
  writePrivateFile(path, `${JSON.stringify(info, null, 2)}\n`);
}

function commandOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8');
  } catch {
    return '';
  }
}

/**
 * Removes the stack file of a supervisor that was killed. Its processes end by themselves (see `Guard`), but not at
 * once: waits for them, at most 15 s, so that their ports and the database are free.
 */
export async function clearFormerStack(path: string): Promise<void> {
  if (!existsSync(path)) return;
  const former = v.safeParse(formerSchema, parseJson(readFileSync(path, 'utf8')));
  rmSync(path, { force: true });
  const living = () =>
    former.success &&
    former.output.processes.some(({ role, pid }) => role !== 'supervisor' && commandOf(pid).includes(role));
  for (const deadline = Date.now() + 15_000; living() && Date.now() < deadline; await sleep(20));
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
