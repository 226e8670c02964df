import type { ArchiveFormat, ArchiveOptions } from '../content.ts';
import { endableStream } from '../process/endable-stream.ts';
import { VcsError } from '../vcs-error.ts';
import { ArchiveListing } from './archive-listing.ts';
import type { HgContentTools } from './hg-content-tools.ts';
import { readNames } from './list-files.ts';

const hgArchiveTypes: Readonly<Record<ArchiveFormat, string>> = {
  zip: 'zip',
  tar: 'tar',
  'tar.gz': 'tgz',
  'tar.bz2': 'tbz2',
};

/** Checks every name before the first byte of an archive is sent: a refusal is an error, not a truncated archive. */
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

/** Returns the option for the archive's prefix. Mercurial reads the prefix as a template, so `%` is doubled. */
function prefixOption(prefix: string): string {
  if (/[{}\\\0]/.test(prefix)) throw new VcsError('failed', 'no prefix of an archive');
  return `--prefix=${prefix.replaceAll('%', '%%')}`;
}

/** Streams an archive of the files; subrepositories, which Mercurial may not read here, are never in an archive. */
export function streamHgArchive(
  tools: HgContentTools,
  path: string,
  rawId: string,
  { format, prefix }: ArchiveOptions,
): AsyncIterable<Uint8Array> {
  return endableStream(async function* (signal) {
    const options = [`--rev=${rawId}`, `--type=${hgArchiveTypes[format]}`, prefixOption(prefix)];
    const { hasOwnFile } = await requireArchivable(tools, path, rawId, format, signal);
    // Leaves out Mercurial's own file when the changeset has one of that name: the archive would hold both.
    const settings = hasOwnFile ? ['--config=ui.archivemeta=False'] : [];
    yield* tools.stream(path, [...settings, 'archive', ...options, '--', '-'], signal);
  });
}
