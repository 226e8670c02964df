import { isUtf8 } from 'node:buffer';
import { checkArchiveNames, type CheckName } from '../archive-names.ts';
import type { ArchiveFormat, ArchiveOptions } from '../content.ts';
import { endableStream } from '../process/endable-stream.ts';
import { splitAtNul } from '../split-at-nul.ts';
import { VcsError } from '../vcs-error.ts';
import type { HgContentTools } from './hg-stream.ts';
import { readNames } from './list-files.ts';

/** The file that Mercurial adds to each archive to name the archived changeset. */
const ownFile = '.hg_archival.txt';

/** Limit of the bytes read after a refusal: a kept server stays alive only when its command prints to the end. */
const ignoredBytesMax = 1024 * 1024;

/** Checks the names of a changeset's files as Mercurial prints them; keeps their count and the first refusal. */
class ArchiveListing {
  count = 0;
  /** Whether the changeset itself has a file, or files below a directory, named `.hg_archival.txt`. */
  hasOwnFile = false;
  refusal: VcsError | null = null;
  #ignoredBytes = 0;
  readonly #split = splitAtNul('latin1');
  readonly #check: CheckName;
  readonly #format: ArchiveFormat;

  constructor(format: ArchiveFormat) {
    this.#format = format;
    this.#check = checkArchiveNames('hg', format);
  }

  take(data: Buffer): void {
    if (this.refusal) {
      this.#ignoredBytes += data.length;
      if (this.#ignoredBytes > ignoredBytesMax) throw this.refusal;
      return;
    }
    try {
      for (const name of this.#split(data)) this.#add(name);
    } catch (error) {
      if (!(error instanceof VcsError)) throw error;
      this.refusal = error;
    }
  }

  #add(name: string): void {
    this.#check(name);
    if (this.#format === 'zip' && !isUtf8(Buffer.from(name, 'latin1'))) {
      throw new VcsError('not-zippable', 'a name is no UTF-8, hg writes no zip of it');
    }
    this.count += 1;
    this.hasOwnFile ||= name === ownFile || name.startsWith(`${ownFile}/`);
  }
}

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
