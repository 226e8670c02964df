import { isUtf8 } from 'node:buffer';
import type { ArchiveFormat, ArchiveOptions } from '../content.ts';
import { endableStream } from '../process/endable-stream.ts';
import { VcsError } from '../vcs-error.ts';
import type { HgContentTools } from './hg-content-tools.ts';
import { readNames } from './list-files.ts';

const types: Readonly<Record<ArchiveFormat, string>> = { zip: 'zip', tar: 'tar', 'tar.gz': 'tgz', 'tar.bz2': 'tbz2' };

/** Such names lead out of where an archive is unpacked; no client makes them. */
const leadsElsewhere = /(?:^|[/\0])(?:\.{0,2}\/|\.\.?\0)/;

function requireArchivable(names: Buffer, format: ArchiveFormat): void {
  if (names.length === 0) throw new VcsError('unknown-path', 'no file to archive');
  if (leadsElsewhere.test(names.toString('latin1'))) throw new VcsError('failed', 'a name leads elsewhere');
  if (format === 'zip' && !isUtf8(names)) throw new VcsError('failed', 'a name is no UTF-8, hg writes no zip of it');
}

/** Mercurial reads it as a template. */
function prefixWord(prefix: string): string {
  if (/[{}\\\0]/.test(prefix)) throw new VcsError('failed', 'no prefix of an archive');
  return `--prefix=${prefix.replaceAll('%', '%%')}`;
}

/** An archive of the files; subrepositories, which may not be read, are never in it. */
export function streamHgArchive(
  { hg, stream }: HgContentTools,
  path: string,
  rawId: string,
  { format, prefix }: ArchiveOptions,
): AsyncIterable<Uint8Array> {
  return endableStream(async function* (signal) {
    const options = [`--rev=${rawId}`, `--type=${types[format]}`, prefixWord(prefix)];
    requireArchivable(await readNames(hg, path, rawId, ''), format);
    yield* stream(path, ['archive', ...options, '--', '-'], signal);
  });
}
