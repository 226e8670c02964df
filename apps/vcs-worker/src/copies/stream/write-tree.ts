import { Semaphore } from '@trunkline/runtime/concurrency';
import { hasCode } from '../../has-code.ts';
import type { SentCounts } from '../copies.ts';
import { ArrivingDirectories } from './arriving-directories.ts';
import {
  BrokenStreamError,
  filesAtOnce,
  handedAtOnce,
  type Header,
  type HeaderOf,
  type PieceReader,
  readHeader,
  smallFileBytes,
} from './frames.ts';
import { contentOf, type FileContent, isSameContent, rawFiles } from './raw-files.ts';
import type { HandedFiles } from './handed-files.ts';
import { writeHandedFile, writeLargeFile, writeSmallFile } from './write-file.ts';

/** What has arrived of a tree. */
export interface Arrived extends SentCounts {
  /** Raw paths of files that were not sent, and that are not here as they are at the source. */
  readonly lacking: readonly string[];
  /** Whether there are more of them than the list has. */
  readonly lacksMore: boolean;
}

export interface WrittenTree {
  /** Absolute path, whose parent exists. */
  readonly path: string;
  /** Absolute paths of the repositories with whose files this one shares its own. */
  readonly linkSources: readonly string[];
  /** Throws when the storage has no space for as many bytes more. */
  readonly requireSpace: (bytes: number) => Promise<void>;
  readonly signal: AbortSignal;
  /** Has the large files whose headers come without their content; absent where none do. */
  readonly handed?: HandedFiles | undefined;
}

const lackingMax = 10_000;
const spaceCheckedEvery = 64 * 1024 * 1024;

const onlyReaderWaits = { queueMax: 1, refuse: () => new Error('only the reader of the stream waits') };

const ignoreMissing = (error: unknown): null => {
  if (hasCode(error, 'ENOENT', 'ENOTDIR')) return null;
  throw error;
};

/** Writes the frames of one tree. */
class TreeWriter {
  readonly #tree: WrittenTree;
  readonly #root: string;
  readonly #linkRoots: readonly string[];
  readonly #directories: ArrivingDirectories;
  readonly #writes = new Semaphore({ limit: filesAtOnce, ...onlyReaderWaits });
  readonly #copies = new Semaphore({ limit: handedAtOnce, ...onlyReaderWaits });
  readonly #writing = new Set<Promise<void>>();
  readonly #counts = { files: 0, bytes: 0, linked: 0 };
  readonly #lacking: string[] = [];
  #lacksMore = false;
  #unchecked = spaceCheckedEvery;
  #failure: { readonly error: unknown } | null = null;
  /** Ends the copies that children make. */
  readonly #stopped = new AbortController();

  constructor(tree: WrittenTree) {
    this.#tree = tree;
    this.#root = rawFiles.pathOf(tree.path);
    this.#linkRoots = tree.linkSources.map(rawFiles.pathOf);
    this.#directories = new ArrivingDirectories(this.#root);
  }

  get arrived(): Arrived {
    return { ...this.#counts, lacking: this.#lacking, lacksMore: this.#lacksMore };
  }

  /** Handles one frame; returns false for the last one. */
  async handle(header: Header, reader: PieceReader): Promise<boolean> {
    this.#tree.signal.throwIfAborted();
    if (this.#failure) throw this.#failure.error;
    switch (header.kind) {
      case 'root':
        await this.#directories.begin(header.mode);
        break;
      case 'open':
        await this.#directories.open(header.directory);
        break;
      case 'directory':
        await this.#directories.add(header.name, header.mode);
        break;
      case 'file':
        await this.#write(header, reader);
        break;
      case 'kept':
        await this.#requireSame(this.#directories.name(header.name), header);
        break;
      case 'link':
        await this.#link(header);
        break;
      case 'shared':
        await this.#share(header);
        break;
      case 'end':
        await this.settle();
        await this.#directories.end();
        return false;
    }
    return true;
  }

  /** Ends what may take long, since the tree will not be complete. */
  stop(error: unknown): void {
    this.#stopped.abort(error);
  }

  /** Resolves when all writes have ended; throws the error of one that failed. */
  async settle(): Promise<void> {
    await Promise.all(this.#writing);
    if (this.#failure) throw this.#failure.error;
  }

  async #write(header: HeaderOf<'file'>, reader: PieceReader): Promise<void> {
    const path = `${this.#root}/${this.#directories.name(header.name)}`;
    this.#counts.files += 1;
    this.#counts.bytes += header.size;
    const handed = this.#tree.handed?.take(header.size);
    if (handed !== undefined) return this.#copy(path, header, handed);
    if (header.size > smallFileBytes) {
      const finish = await writeLargeFile(path, header, reader, (bytes) => this.#count(bytes));
      return this.#begin(finish);
    }
    const content = await reader.take(header.size);
    await this.#count(header.size);
    await this.#begin(() => writeSmallFile(path, header, content));
  }

  /** Begins the copy of a file that was handed over, as soon as not too many are under way. */
  async #copy(path: string, header: HeaderOf<'file'>, from: number): Promise<void> {
    const signal = AbortSignal.any([this.#tree.signal, this.#stopped.signal]);
    const copied = async (bytes: number) => {
      this.#tree.handed?.report(bytes);
      await this.#count(bytes);
    };
    try {
      await this.#tree.requireSpace(header.size);
      await this.#copies.acquire({ signal });
    } catch (error) {
      await rawFiles.close(from);
      signal.throwIfAborted();
      throw error;
    }
    await this.#begin(() =>
      writeHandedFile(path, header, from, { signal, copied }).finally(() => this.#copies.release()),
    );
  }

  /** Begins a write beside the stream, as soon as not too many are under way. */
  async #begin(write: () => Promise<void>): Promise<void> {
    await this.#writes.acquire();
    const writing: Promise<void> = write()
      .catch((error: unknown) => {
        this.#failure ??= { error };
        this.stop(error);
      })
      .finally(() => {
        this.#writing.delete(writing);
        this.#writes.release();
      });
    this.#writing.add(writing);
  }

  /** Looks at the free space, at first and after each 64 MB. */
  async #count(bytes: number): Promise<void> {
    this.#unchecked += bytes;
    if (this.#unchecked < spaceCheckedEvery) return;
    this.#unchecked = 0;
    await this.#tree.requireSpace(spaceCheckedEvery);
  }

  #lack(path: string): void {
    if (this.#lacking.length < lackingMax) this.#lacking.push(path);
    else this.#lacksMore = true;
  }

  async #requireSame(path: string, content: FileContent): Promise<void> {
    const found = await rawFiles.lstat(`${this.#root}/${path}`).catch(ignoreMissing);
    if (!found?.isFile() || !isSameContent(contentOf(found), content)) this.#lack(path);
  }

  async #link(header: HeaderOf<'link'>): Promise<void> {
    const target = this.#directories.pathIn(header.directory, header.target);
    const path = this.#directories.name(header.name);
    if (target === path) throw new BrokenStreamError('a link to itself');
    await this.settle();
    await this.#linkTo(`${this.#root}/${target}`, path, header);
  }

  async #share(header: HeaderOf<'shared'>): Promise<void> {
    const linkRoot = this.#linkRoots[header.source];
    if (linkRoot === undefined) throw new BrokenStreamError(`there is no repository ${header.source} to share with`);
    const path = this.#directories.name(header.name);
    await this.#linkTo(`${linkRoot}/${path}`, path, header);
  }

  /** Links a file if it is what the source has; the file is sent otherwise. */
  async #linkTo(existing: string, path: string, content: FileContent): Promise<void> {
    const at = `${this.#root}/${path}`;
    const isSame = async (of: string) => {
      const found = await rawFiles.lstat(of).catch(ignoreMissing);
      return found?.isFile() === true && isSameContent(contentOf(found), content);
    };
    if (!(await isSame(existing))) return this.#lack(path);
    await rawFiles.remove(at);
    try {
      await rawFiles.link(existing, at);
    } catch (error) {
      if (hasCode(error, 'EMLINK', 'ENOENT', 'EPERM', 'EXDEV')) return this.#lack(path);
      throw error;
    }
    // The file may have been appended to while the link was made.
    if (await isSame(at)) this.#counts.linked += 1;
    else this.#lack(path);
  }
}

/**
 * Writes a tree as its frames come: replaces files that are sent, and removes what the stream does not name. Fails for a
 * stream that breaks the rules, at the first frame that does.
 */
export async function writeTree(reader: PieceReader, tree: WrittenTree): Promise<Arrived> {
  const writer = new TreeWriter(tree);
  try {
    while (await writer.handle(await readHeader(reader), reader));
    await reader.end();
    return writer.arrived;
  } catch (error) {
    writer.stop(error);
    throw error;
  } finally {
    // The answer comes after the last write.
    await writer.settle().catch(() => {});
  }
}
