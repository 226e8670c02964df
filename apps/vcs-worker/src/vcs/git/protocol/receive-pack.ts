import { mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { scopeOfOperation, scopeOfRead, type CallScope } from '../../process/call-scope.ts';
import { pushEnvironment, quarantineEnvironment } from '../../process/child-environment.ts';
import { dieWithParentCommand, type LimitsByWork } from '../../process/command-limits.ts';
import { streamCommand } from '../../process/stream-command.ts';
import { PushRefusedError, type NameChange, type ReceivedPush } from '../../push.ts';
import { contentBytesMax } from '../cat-file.ts';
import { createGraphCheck } from '../commit-graph.ts';
import { graphSettings } from '../commit-walk.ts';
import { createGitCommands, type GitCommands } from '../git-commands.ts';
import { advertisement, capabilitiesIn } from './advertise-references.ts';
import { predictPush, type PredictedHistory, type KnownHistory } from './predict-push.ts';
import { readReferenceFiles } from './reference-files.ts';
import { requireFewReferences } from './reference-rules.ts';
import { storePack, type ArrivingPush } from './store-pack.ts';

export interface ReceivePackOptions {
  readonly gitCommand: readonly string[];
  readonly limits: LimitsByWork;
  readonly timeoutMs: number;
  /** Limit of the bytes of one push. */
  readonly bytesMax: number;
}

/** Receives what git clients push, without changing the repository. */
export interface ReceivePack {
  /** Streams the references and what a push may ask for. */
  advertise(path: string, signal: AbortSignal): AsyncIterable<Uint8Array>;
  /** Stores the objects of a push in `directory`, and checks the format of each. Throws PushRefusedError. */
  receive(path: string, directory: string, push: ArrivingPush, signal: AbortSignal): Promise<void>;
  /** Checks that everything exists to which received references lead. Throws PushRefusedError. */
  check(path: string, push: ReceivedPush, scope: CallScope): Promise<void>;
  /**
   * Reads the history that the repository will have with what was received; null where that is not known. Throws
   * PushRefusedError when the repository would have too many references.
   */
  predict(
    path: string,
    push: ReceivedPush,
    options: { readonly before: KnownHistory | null; readonly scope: CallScope },
  ): Promise<PredictedHistory | null>;
}

const outputMsMax = 60_000;
const servicePrefix = Buffer.from('001f# service=git-receive-pack\n0000');

/** Returns the directory of the objects below the directory of a push. */
export function objectsOf(directory: string): string {
  return join(directory, 'objects');
}

/** Name of the pack without objects, which clients send when the repository has all of them. */
export const emptyPack = 'pack-029d08823bd8a8eab510ad6ac75c823cfd3ed31e.';

/** Returns the paths of the packs that a push brings, the index of each behind it: git takes a pack that has one. */
export async function packsOf(directory: string): Promise<string[]> {
  const packs = join(objectsOf(directory), 'pack');
  const names = (await readdir(packs)).filter((name) => name.startsWith('pack-') && !name.startsWith(emptyPack));
  return names
    .toSorted((a, b) => Number(a.endsWith('.idx')) - Number(b.endsWith('.idx')))
    .map((name) => join(packs, name));
}

/**
 * Throws PushRefusedError when an object that a reference is to name is missing, when a branch would name no commit, and
 * when a commit is too large to be shown as the newest one.
 */
async function requireObjects(git: GitCommands, path: string, changes: readonly NameChange[]): Promise<void> {
  const added = changes.filter(({ to }) => to !== null);
  if (added.length === 0) return;
  const ids = `${added.map(({ to }) => to).join('\n')}\n`;
  // Tags are looked up once more, as what they lead to.
  const input = ids + ids.replaceAll('\n', '^{}\n');
  const found = (await git.run(path, ['cat-file', '--batch-check=%(objecttype) %(objectsize)'], { input })).toString();
  const lines = found.trimEnd().split('\n');
  const reasons = new Map<string, string>();
  for (const [at, { name }] of added.entries()) {
    const [line = '', peeled = ''] = [lines[at], lines[added.length + at]];
    const [type, size] = peeled.split(' ');
    if (type === 'commit' && Number(size) > contentBytesMax) reasons.set(name, 'its commit has more than 16 MB');
    if (line.endsWith('missing')) reasons.set(name, 'the push lacks objects of this reference');
    else if (name.startsWith('refs/heads/') && !line.startsWith('commit '))
      reasons.set(name, 'a branch has to name a commit');
  }
  const [first] = reasons;
  if (first) throw new PushRefusedError(`${first[0]}: ${first[1]}`, { reasons });
}

/** Throws PushRefusedError when something is missing to which the references of a push lead. */
async function requireConnected(git: GitCommands, path: string, changes: readonly NameChange[]): Promise<void> {
  const ids = changes.flatMap(({ to }) => to ?? []);
  if (ids.length === 0) return;
  const connected = ['rev-list', '--objects', '--stdin', '--not', '--all', '--quiet'];
  const { exitCode, stderr } = await git.tryRun(path, connected, { input: `${ids.join('\n')}\n`, mayBeLong: true });
  if (exitCode !== 0) throw new PushRefusedError('the push lacks objects', { cause: new Error(stderr) });
}

export function createReceivePack({ gitCommand, limits, timeoutMs, bytesMax }: ReceivePackOptions): ReceivePack {
  const commands = (path: string, directory: string, scope: CallScope) =>
    createGitCommands({
      gitCommand,
      env: quarantineEnvironment(path, objectsOf(directory)),
      timeoutMs,
      stdoutBytesMax: 1 << 24,
      limits: limits.oneShot,
      scope,
    });

  const isSound = createGraphCheck();
  let capabilities: string | null = null;
  const fileBytes = Math.min(limits.fetch.fileBytes, 4 * bytesMax + 256 * 1024 * 1024);
  const packLimits = { ...limits.fetch, fileBytes };

  return {
    async *advertise(path, signal) {
      yield servicePrefix;
      const filed = capabilities === null ? null : await readReferenceFiles(path);
      if (filed && capabilities !== null) return yield advertisement(filed, capabilities);
      const command = [...gitCommand, 'receive-pack', '--stateless-rpc', '--advertise-refs', path];
      const options = { env: pushEnvironment(), timeoutMs: outputMsMax, ...scopeOfRead(signal) };
      for await (const piece of streamCommand(dieWithParentCommand(command, limits.oneShot), options)) {
        // The same for all repositories.
        capabilities ??= capabilitiesIn(piece);
        yield piece;
      }
    },
    async receive(path, directory, push, signal) {
      const { changes } = push.list;
      await mkdir(join(objectsOf(directory), 'pack'), { recursive: true });
      await requireFewReferences(commands(path, directory, { ...scopeOfOperation, signal }), path, changes);
      if (changes.every(({ to }) => to === null)) return;
      const env = quarantineEnvironment(path, objectsOf(directory));
      const command = [...gitCommand, `--git-dir=${path}`];
      await storePack(command, { env, timeoutMs, limits: packLimits, bytesMax }, push, signal);
    },
    async check(path, { directory, changes }, scope) {
      const git = commands(path, directory, scope);
      const [found, connected] = await Promise.allSettled([
        requireObjects(git, path, changes),
        requireConnected(git, path, changes),
      ]);
      // The first names the reference.
      if (found.status === 'rejected') throw found.reason;
      if (connected.status === 'rejected') throw connected.reason;
    },
    async predict(path, { directory, changes }, { before, scope }) {
      const settings = await graphSettings({ isSound }, path);
      return predictPush(commands(path, directory, scope), path, changes, { before, settings });
    },
  };
}
