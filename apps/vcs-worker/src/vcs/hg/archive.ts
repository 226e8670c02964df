import type { ArchiveFormat, ArchiveOptions } from '../content.ts';
import { endableStream } from '../process/endable-stream.ts';
import { VcsError } from '../vcs-error.ts';
import { ArchiveListing } from './archive-listing.ts';
import type { HgContentTools } from './hg-content-tools.ts';
import { readNames } from './list-files.ts';

const types: Readonly<Record<ArchiveFormat, string>> = { zip: 'zip', tar: 'tar', 'tar.gz': 'tgz', 'tar.bz2': 'tbz2' };

/** Reads every name before the first byte of an archive: a refusal is an error and no torn archive. */
async function requireArchivable(
  { hg }: HgContentTools,
  path: string,
  rawId: string,
  format: ArchiveFormat,
  signal: AbortSignal,
): Promise<ArchiveListing> {
  let listing = new ArchiveListing(format);
  const sink = () => {
    listing = new ArchiveListing(format);
    return (data: Buffer) => listing.take(data);
  };
  await readNames(hg, path, rawId, '', { signal, sink });
  if (listing.refusal) throw listing.refusal;
  if (listing.count === 0) throw new VcsError('unknown-path', 'no file to archive');
  return listing;
}

/** Mercurial reads it as a template. */
function prefixWord(prefix: string): string {
  if (/[{}\\\0]/.test(prefix)) throw new VcsError('failed', 'no prefix of an archive');
  return `--prefix=${prefix.replaceAll('%', '%%')}`;
}

/** An archive of the files; subrepositories, which may not be read, are never in it. */
export function streamHgArchive(
  tools: HgContentTools,
  path: string,
  rawId: string,
  { format, prefix }: ArchiveOptions,
): AsyncIterable<Uint8Array> {
  return endableStream(async function* (signal) {
    const options = [`--rev=${rawId}`, `--type=${types[format]}`, prefixWord(prefix)];
    const { hasOwnFile } = await requireArchivable(tools, path, rawId, format, signal);
    // Otherwise the archive would hold two files of that name.
    const settings = hasOwnFile ? ['--config=ui.archivemeta=False'] : [];
    yield* tools.stream(path, [...settings, 'archive', ...options, '--', '-'], signal);
  });
}
