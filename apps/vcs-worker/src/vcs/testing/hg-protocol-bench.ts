import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { collectBytes } from '../../collect-bytes.ts';
import { createHgProtocol, type HgProtocol, type HgProtocolOptions } from '../hg/protocol/hg-protocol.ts';
import { limitsByWork } from '../process/command-limits.ts';
import { writeRuntimeFiles } from '../process/runtime-files.ts';
import { commandLines } from './processes.ts';
import { commitHg, hg, hgCommand } from './tools.ts';

const limits = limitsByWork({ memoryBytes: 2 ** 32, importBytesMax: 2 ** 30, fetchTimeoutMs: 30_000 });
const { signal } = new AbortController();

/** Time limit of what may have to wait for other processes of the machine. */
export const waitMs = 60_000;

export interface HgProtocolBench {
  readonly directory: string;
  readonly options: HgProtocolOptions;
  readonly protocol: HgProtocol;
  /** Path and only changeset of a repository. */
  readonly path: string;
  readonly id: string;
  /** What was noted of servers that did not start. */
  readonly failures: readonly unknown[];
  /** What was noted of repositories that turned out to be unreadable. */
  readonly unreadable: readonly unknown[];
  freshRepository(): Promise<string>;
  /** Asks for a repository, by default for the first one; returns the answer in latin1. */
  ask(command: string, args?: string, options?: AskOptions): Promise<{ type: string; text: string }>;
  /** Returns the ids of the processes that answer, or wait to answer: children have the command line of their parent. */
  processes(socketDir?: string): Promise<number[]>;
  close(): Promise<void>;
}

interface AskOptions {
  readonly caps?: string;
  readonly of?: string;
  readonly by?: HgProtocol;
}

export async function* piecesOf(...texts: readonly string[]): AsyncGenerator<Uint8Array> {
  for (const text of texts) yield Buffer.from(text);
}

/** Returns the arguments of a bundle of these heads. */
export const bundleArgs = (heads: string, more = '') =>
  `bundlecaps=HG20%2Cbundle2%3DHG20%250Achangegroup%253D01%252C02&cg=1&heads=${heads}${more}`;

/** Opens what answers Mercurial clients, over the real tool and in a temporary directory. */
export async function openHgProtocolBench(): Promise<HgProtocolBench> {
  const directory = await mkdtemp(join(tmpdir(), 'trunkline-hg-protocol-'));
  const files = await writeRuntimeFiles(directory);
  const failures: unknown[] = [];
  const unreadable: unknown[] = [];
  const options: HgProtocolOptions = {
    hgCommand,
    extension: files.hgServe,
    socketDir: files.hgSockets,
    limits: limits.keptProcess,
    startMsMax: waitMs,
    readLimits: { cpuSeconds: limits.oneShot.cpuSeconds, fileBytes: 2 ** 30 },
    pushLimits: { cpuSeconds: limits.oneShot.cpuSeconds, fileBytes: 2 ** 30, timeoutMs: waitMs },
    onStartFailure: (error) => void failures.push(error),
    onUnreadable: (error) => void unreadable.push(error),
  };
  const protocol = createHgProtocol(options);
  let repositories = 0;
  const freshRepository = async (): Promise<string> => {
    repositories += 1;
    const made = join(directory, `repository-${repositories}`);
    await mkdir(made);
    await hg(made, 'init', '.');
    return made;
  };
  const path = await freshRepository();
  const id = await commitHg(path, { file: 'content', other: 'x'.repeat(100_000) }, '1700000000 0');
  return {
    directory,
    options,
    protocol,
    path,
    id,
    failures,
    unreadable,
    freshRepository,
    async ask(command, args = '', { caps = '', of = path, by = protocol } = {}) {
      const { type, body } = await by.serve(of, { command, caps, args: piecesOf(args) }, signal);
      return { type: type.replace('application/', ''), text: (await collectBytes(body)).toString('latin1') };
    },
    async processes(socketDir = options.socketDir) {
      const isServer = (words: string) => words.includes(`\0trunkline-serve\0${socketDir}/`);
      return [...(await commandLines())].flatMap(([pid, words]) => (isServer(words) ? [pid] : []));
    },
    async close() {
      await protocol.close();
      await rm(directory, { recursive: true, force: true });
    },
  };
}
