import { isUtf8 } from 'node:buffer';
import { checkArchiveNames, type CheckName } from '../archive-names.ts';
import type { ArchiveFormat } from '../content.ts';
import { splitAtNul } from '../split-at-nul.ts';
import { VcsError } from '../vcs-error.ts';

/** The file that Mercurial adds to each archive to name the archived changeset. */
const ownFile = '.hg_archival.txt';

/** Limit of the bytes read after a refusal: a kept server stays alive only when its command prints to the end. */
const ignoredBytesMax = 1024 * 1024;

/** Checks the names of a changeset's files as Mercurial prints them; keeps their count and the first refusal. */
export class ArchiveListing {
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
