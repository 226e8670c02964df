import { rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Changeset, VcsBackend } from '../backend.ts';
import { changesetDate } from '../changeset-date.ts';
import { orderNodes } from '../node-order.ts';
import { childEnvironment } from '../process/child-environment.ts';
import type { CommandLimits } from '../process/command-limits.ts';
import { fencedCommand } from '../process/fenced-command.ts';
import { acquireWriteLock } from '../process/acquire-write-lock.ts';
import { toolVersion } from '../process/tool-version.ts';
import { progressReader, withoutProgress } from '../progress.ts';
import type { Remote } from '../remote/remote.ts';
import { normalizeRoot } from '../root-path.ts';
import { VcsError } from '../vcs-error.ts';
import { defuseHg, inspectHg, ownConfiguration } from './adopt-hg.ts';
import { CommandServer } from './command-server.ts';
import { createHgCommands } from './hg-commands.ts';
import { createHgContent } from './create-hg-content.ts';
import { createHgStream, hgWords, onRepository } from './hg-words.ts';
import { listFiles } from './list-files.ts';
import { noChangeset } from './parse-log.ts';
import { parseHgProgress, progressOptions } from './parse-progress.ts';
import { readHgLog } from './read-log.ts';
import { readHgRefs } from './read-refs.ts';
import { resolveHgRevision } from './resolve-revision.ts';
import { createServerPool } from './server-pool.ts';
import { runWithRemote, type HgRemoteOptions } from './run-with-remote.ts';

export interface HgBackendOptions extends Omit<HgRemoteOptions, 'serverWords'> {
  readonly hgCommand: readonly string[];
  readonly servers: number;
  readonly commandTimeoutMs: number;
  readonly checkTimeoutMs: number;
}

const serve = ['serve', '--cmdserver', 'pipe'];
const identify = ({ url }: Remote) => ['identify', '--id', '--', url];

function parseTip(output: string): Changeset | null {
  const [rawId = '', revision = '', date = '', author = '', ...message] = output.split('\0');
  if (rawId === noChangeset) return null;
  return {
    rawId,
    revision: Number(revision),
    author,
    date: changesetDate(Number(date.split(' ')[0])),
    message: message.join('\0'),
  };
}

async function writeOwnConfig(path: string, repositoryUuid: string): Promise<void> {
  await writeFile(join(path, '.hg/hgrc'), ownConfiguration(repositoryUuid));
}

/** Mercurial: kept command servers for what is local, a server of its own for each transfer. */
export function createHgBackend(options: HgBackendOptions): {
  backend: VcsBackend;
  close(): void;
} {
  const { hgCommand, limits, commandTimeoutMs: timeoutMs } = options;
  const serverWords = [...hgWords(hgCommand), ...serve];
  const guarded = `--config=extensions.egress=${options.files.hgEgress}`;
  const transfer = { ...options, serverWords: [...hgWords(hgCommand), guarded, ...serve] };
  const env = childEnvironment();
  const start = (own: CommandLimits) => new CommandServer(fencedCommand(serverWords, own), env);
  const startKept = () => start(limits.serve);
  const pool = createServerPool(options.servers, startKept);
  const suspect = createServerPool(1, startKept);
  const hg = createHgCommands({ kept: pool, suspect }, timeoutMs);

  const backend: VcsBackend = {
    ...createHgContent({ hg, stream: createHgStream({ hgCommand, limits: limits.read, timeoutMs }), timeoutMs }),
    type: 'hg',
    command: hgCommand,
    version: toolVersion([...hgCommand, 'version', '--template={ver}'], { env, timeoutMs }),
    async init(path, repositoryUuid) {
      const { exitCode, stderr } = await pool.run(['init', '--', path], { timeoutMs, stdoutBytesMax: 1 << 20 });
      if (exitCode !== 0) throw new VcsError('failed', `hg init ended with ${exitCode}: ${stderr}`);
      await writeOwnConfig(path, repositoryUuid);
    },
    checkRemote: (remote, signal) =>
      runWithRemote({ ...transfer, timeoutMs: options.checkTimeoutMs }, remote, signal, (run) => run(identify(remote))),
    async importFrom(path, repositoryUuid, remote, signal, report) {
      const args = ['clone', '--noupdate', '--', remote.url, path];
      await runWithRemote({ ...transfer, report }, remote, signal, (run) => run(args));
      // It wrote the remote's address there; ours is in the database.
      await writeOwnConfig(path, repositoryUuid);
    },
    async fork(source, path, repositoryUuid, signal, report) {
      // A server of its own: those of the pool are for what takes a moment.
      const server = start(limits.fork);
      try {
        const onStderr = report && progressReader(parseHgProgress, report);
        const bounds = { timeoutMs: options.timeoutMs, signal, stdoutBytesMax: 1 << 20, onStderr };
        const args = [...progressOptions, 'clone', '--noupdate', '--', source, path];
        const { exitCode, stderr } = await server.run(args, bounds);
        if (exitCode !== 0) throw new VcsError('failed', `hg clone ended with ${exitCode}: ${withoutProgress(stderr)}`);
      } finally {
        server.kill();
        await server.ended;
      }
      await writeOwnConfig(path, repositoryUuid);
    },
    pull: (path, remote, signal, { report, beforeWriting } = {}) =>
      runWithRemote({ ...transfer, report }, remote, signal, async (run) => {
        await run(identify(remote));
        await beforeWriting?.();
        await run(onRepository(path, ['pull', '--', remote.url]));
      }),
    acquireWriteLock: (path) => acquireWriteLock(join(path, '.hg')),
    async recover(path) {
      for (const lock of ['.hg/store/lock', '.hg/wlock']) await rm(join(path, lock), { force: true });
      const interrupted = await stat(join(path, '.hg/store/journal')).catch(() => null);
      if (interrupted) await hg.read(path, ['recover']);
    },
    // Its own index of the history is always there.
    async indexHistory() {},
    inspect: inspectHg,
    defuse: defuseHg,
    async tip(path) {
      const template = '--template={node}\\0{rev}\\0{date|hgdate}\\0{author}\\0{desc}';
      return parseTip((await hg.read(path, ['log', '--rev=tip', template])).toString('utf8'));
    },
    resolveRevision: (path, revision) => resolveHgRevision(hg, path, revision),
    async nodes(path, rawId, root) {
      const directory = normalizeRoot(root);
      const below = directory === '' ? 0 : directory.length + 1;
      const files = await listFiles(hg, path, rawId, directory);
      const relative = files.map((name) => ({ path: name.slice(below), isDirectory: false }));
      return orderNodes(directory, relative);
    },
    async changeset(path, rawId, { withFiles }) {
      const [entry] = await readHgLog(hg, path, { from: rawId, to: rawId, withFiles });
      if (!entry) throw new VcsError('unknown-revision', 'no such changeset');
      return entry;
    },
    log: (path, query) => readHgLog(hg, path, query),
    refs: (path) => readHgRefs(hg, path),
  };
  const close = () => {
    pool.close();
    suspect.close();
  };
  return { backend, close };
}
