import { existsSync, readFileSync, rmSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import * as v from 'valibot';
import { writePrivateFile } from '../secret-file.ts';

export interface StackProcess {
  readonly role: 'supervisor' | 'gateway' | 'vcs-worker' | 'nats-server' | 'postgres';
  readonly pid: number;
  readonly port: number | null;
}

/** What a program on this machine may know of the running stack; lies as `stack.json` in the data directory. */
export interface StackInfo {
  readonly baseUrl: string;
  readonly baseUrls: readonly string[];
  readonly metricsUrl: string;
  readonly adminUser: string;
  /** Known at the first start only. */
  readonly adminPassword?: string;
  readonly adminApiKey: string;
  readonly storageRoot: string;
  readonly databaseUrl: string;
  /** As a user who may do everything. */
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
 * A stack file that is still there tells of a supervisor that was killed. Its processes end by themselves, but not
 * at once: they are waited for, so that their ports and the database are free.
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
