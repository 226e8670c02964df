import { collectBytes } from '../../../collect-bytes.ts';
import { scopeOfOperation } from '../../process/call-scope.ts';
import { strictOption } from '../../process/child-environment.ts';
import { dieWithParentCommand, type CommandLimits } from '../../process/command-limits.ts';
import { streamCommand } from '../../process/stream-command.ts';
import { diskFailure } from '../../process/tool-failure.ts';
import { PushRefusedError, PushTooLargeError } from '../../push.ts';
import { VcsError } from '../../vcs-error.ts';
import type { CommandList } from './command-list.ts';
import type { PktReader } from './pkt-line.ts';

export interface ArrivingPush {
  readonly list: CommandList;
  readonly reader: PktReader;
  /** Returns whether the storage has space for so many bytes of this push. */
  readonly mayReach: (bytes: number) => Promise<boolean>;
}

/** Yields the pack of a push. The command that stores it fills the disk, up to the limit of a push, if nobody ends its input. */
async function* withinSpace({ reader, mayReach }: ArrivingPush): AsyncGenerator<Uint8Array> {
  for await (const piece of reader.rest()) {
    if (!(await mayReach(reader.received))) throw new PushRefusedError('the storage is full');
    yield piece;
  }
}

const fault = /\berror: object ([0-9a-f]{40}): ([A-Za-z]+): /;

/** Git names the object alone, and its commits and branches are known to the client's repository. */
function unacceptedText(id: string, kind: string): string {
  const found = `\`git branch --contains ${id}\` names the branches of a commit, \`git log --all --find-object=${id}\` the commits with a file or directory`;
  return `the object ${id} is not accepted (${kind}): ${found}; rewrite them, and push again`;
}

/** Returns the client's text for a failure of the command that stores a pack; null for one that is not the pack's. */
function textOf(error: VcsError): string | null {
  if (error.kind === 'busy') return 'the service is busy, push again later';
  if (error.kind === 'timeout') return 'the push took too long';
  if (error.kind === 'too-large') return 'an object of the push is too large';
  if (error.kind !== 'failed') return null;
  const onDisk = diskFailure(error.message);
  if (onDisk === 'storage-full') return 'the storage is full';
  if (onDisk === 'storage-read-only') return 'the storage is read-only';
  const [, id, kind] = fault.exec(error.message) ?? [];
  if (id !== undefined) return unacceptedText(id, kind ?? '');
  if (error.message.includes('did not receive expected object')) return 'the push lacks objects';
  return 'the pack is damaged or incomplete';
}

/** Converts an error of the command that stores a pack to the refusal of the push; returns any other unchanged. */
function packRefusal(error: unknown, bytesMax: number): unknown {
  if (!(error instanceof VcsError)) return error;
  if (error.message.includes('pack exceeds maximum allowed size')) {
    return new PushTooLargeError(bytesMax, { cause: error });
  }
  const text = textOf(error);
  return text === null ? error : new PushRefusedError(text, { cause: error });
}

interface StoreOptions {
  readonly env: NodeJS.ProcessEnv;
  readonly timeoutMs: number;
  readonly limits: CommandLimits;
  /** Limit of the bytes of one push. */
  readonly bytesMax: number;
}

/** Stores the pack of a push where `env` has git write objects, and checks the format of each. Throws PushRefusedError. */
export async function storePack(
  gitOnRepository: readonly string[],
  { env, timeoutMs, limits, bytesMax }: StoreOptions,
  push: ArrivingPush,
  signal: AbortSignal,
): Promise<void> {
  const args = ['index-pack', '--stdin', '--fix-thin', strictOption, `--max-input-size=${bytesMax}`];
  const options = { env, timeoutMs, input: withinSpace(push), ...scopeOfOperation, signal };
  try {
    await collectBytes(streamCommand(dieWithParentCommand([...gitOnRepository, ...args], limits), options));
  } catch (error) {
    throw packRefusal(error, bytesMax);
  }
}
