import { collectBytes } from '../../../collect-bytes.ts';
import { scopeOfRead } from '../../process/call-scope.ts';
import { uploadPackEnvironment } from '../../process/child-environment.ts';
import { dieWithParentCommand, type CommandLimits } from '../../process/command-limits.ts';
import { streamCommand } from '../../process/stream-command.ts';
import { ToolFailure } from '../../process/tool-failure.ts';
import { VcsError } from '../../vcs-error.ts';
import { listReferences } from './advertise-references.ts';

/** A client has sent what is no request of git's protocol. */
export class MalformedRequestError extends VcsError {
  constructor(cause: VcsError) {
    super('failed', cause.message, { cause });
  }
}

/** What `upload-pack` says of a request alone; a damaged repository causes other texts. */
const complaints = [
  'protocol error: bad line length',
  "unknown capability '",
  "invalid command '",
  'no command requested',
  "command '",
  'mismatched object format',
  'expected flush after ',
  "unexpected line: '",
  'git upload-pack: protocol error, expected to get ',
  'git upload-pack: expected SHA1',
  'git upload-pack: ambiguous deepen-not',
  'git upload-pack: deepen and deepen-since',
  'git upload-pack: filtering capability not negotiated',
  'Invalid deepen',
  'invalid shallow line: ',
  'invalid filter-spec ',
  'the remote end hung up ',
];
const complaint = new RegExp(`(?:^|: )fatal: (?:${complaints.join('|')})`, 'm');

/** Returns the error of a request that git has found malformed without telling the client; any other error unchanged. */
export function malformedRequest(error: unknown): unknown {
  return error instanceof ToolFailure && complaint.test(error.message) ? new MalformedRequestError(error) : error;
}

/** A client's request, beside the repository. */
export interface FetchRequest {
  /** Version of git's protocol: 0, 1 or 2. */
  readonly protocol: number;
  readonly body: AsyncIterable<Uint8Array>;
  /** Called when the answer, which ends as any other, tells the client of a failure. */
  readonly onRefusal?: () => void;
}

/** Answers the requests of git clients that clone or fetch, as `git http-backend` does. */
export interface UploadPack {
  /** Streams what a client asks for first: capabilities and, before version 2, references. */
  advertise(path: string, protocol: number, signal: AbortSignal): AsyncIterable<Uint8Array>;
  /** Returns the answer to a request of version 2 for references where their files have all of it; null for any other. */
  list(path: string, body: Buffer): Promise<Buffer | null>;
  /** Streams the answer to a request: references, common commits, or a pack. */
  serve(path: string, request: FetchRequest, signal: AbortSignal): AsyncIterable<Uint8Array>;
}

interface UploadPackOptions {
  readonly gitCommand: readonly string[];
  readonly limits: CommandLimits;
}

/** Timeout for the next output while the client waits; while a pack is made, git sends something every five seconds. */
const outputMsMax = 60_000;
/** Exit code of git's `die`, before which `upload-pack` tells the client why, unless the request is not git's. */
const diedExitCode = 128;
/** Output after which an end by `die` leaves a pack cut off, which must not end like a whole one. */
const refusalBytesMax = 256 * 1024;
const servicePrefix = Buffer.from('001e# service=git-upload-pack\n0000');

async function* nothing(): AsyncGenerator<Uint8Array> {}

/** Ends after an error that git has told the client, as any other answer does. */
async function* withRefusals(output: AsyncIterable<Uint8Array>, onRefusal: () => void): AsyncGenerator<Uint8Array> {
  let bytes = 0;
  try {
    for await (const piece of output) {
      bytes += piece.length;
      yield piece;
    }
  } catch (error) {
    const isTold = bytes > 0 && bytes <= refusalBytesMax;
    const hasDied = error instanceof ToolFailure && error.kind === 'failed' && error.exitCode === diedExitCode;
    if (!hasDied) throw error;
    if (!isTold) throw bytes === 0 ? malformedRequest(error) : error;
    onRefusal();
  }
}

export function createUploadPack({ gitCommand, limits }: UploadPackOptions): UploadPack {
  const run = (path: string, args: readonly string[], { protocol, body }: FetchRequest, signal: AbortSignal) => {
    const command = [...gitCommand, 'upload-pack', '--strict', '--stateless-rpc', ...args, path];
    return streamCommand(dieWithParentCommand(command, limits), {
      env: uploadPackEnvironment(protocol),
      timeoutMs: outputMsMax,
      input: body,
      ...scopeOfRead(signal),
    });
  };
  const advertised = (path: string, protocol: number, signal: AbortSignal) =>
    run(path, ['--advertise-refs'], { protocol, body: nothing() }, signal);

  /** The capabilities of version 2: the same for all repositories, whose objects all have ids of the same kind. */
  let capabilities: Buffer | null = null;

  return {
    async *advertise(path, protocol, signal) {
      if (protocol < 2) {
        yield servicePrefix;
        yield* advertised(path, protocol, signal);
        return;
      }
      capabilities ??= await collectBytes(advertised(path, protocol, signal));
      yield capabilities;
    },
    list: listReferences,
    serve: (path, request, signal) => withRefusals(run(path, [], request, signal), request.onRefusal ?? (() => {})),
  };
}
