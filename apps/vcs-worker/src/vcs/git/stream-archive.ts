import { pipeline, Readable } from 'node:stream';
import { createGzip } from 'node:zlib';
import type { ArchiveOptions } from '../content.ts';
import { endableStream } from '../process/endable-stream.ts';
import { streamCommand } from '../process/stream-command.ts';
import type { GitContentTools } from './git-content-tools.ts';

interface Archiving {
  readonly env: NodeJS.ProcessEnv;
  readonly timeoutMs: number;
  readonly bzip2Command: readonly string[];
}

/** A commit's files. What submodules hold is in other repositories. */
export function streamArchive(
  { stream }: GitContentTools,
  { env, timeoutMs, bzip2Command }: Archiving,
  path: string,
  rawId: string,
  { format, prefix }: ArchiveOptions,
): AsyncIterable<Uint8Array> {
  const plain = (kind: 'zip' | 'tar', signal?: AbortSignal) =>
    stream(path, ['archive', `--format=${kind}`, `--prefix=${prefix}/`, '--end-of-options', rawId], {
      env,
      ...(signal ? { signal } : {}),
    });
  switch (format) {
    case 'zip':
    case 'tar':
      return plain(format);
    case 'tar.gz':
      return endableStream(async function* (signal) {
        // What fails on the way reaches the reader through the last stream.
        yield* pipeline(Readable.from(plain('tar', signal)), createGzip({ level: 6 }), () => {});
      });
    case 'tar.bz2':
      return streamCommand([...bzip2Command, '-c'], { env, timeoutMs, input: plain('tar') });
  }
}
