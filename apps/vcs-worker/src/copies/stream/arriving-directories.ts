import { hasCode } from '../../has-code.ts';
import { BrokenStreamError, treeLimits } from './frames.ts';
import { rawFiles } from './raw-files.ts';

interface Directory {
  /** Path below the tree; ends in `/`, except for the tree itself. */
  readonly prefix: string;
  readonly depth: number;
  /** Whether this stream has made it, so that nothing can be left in it. */
  readonly isNew: boolean;
  wasOpened: boolean;
}

/**
 * The directories of an arriving tree, by their numbers. A path consists of the names of directories that this stream
 * has made or found to be directories, so that none leads elsewhere.
 */
export class ArrivingDirectories {
  readonly #root: string;
  readonly #directories: Directory[] = [];
  /** Names of the open directory's entries. */
  #named = new Set<string>();
  #open: Directory | undefined;
  #entries = 0;

  /** The root is a raw path. */
  constructor(root: string) {
    this.#root = root;
  }

  async begin(mode: number): Promise<void> {
    if (this.#directories.length > 0) throw new BrokenStreamError('the tree begins twice');
    const isNew = await this.#make(this.#root, mode);
    this.#directories.push({ prefix: '', depth: 0, isNew, wasOpened: false });
  }

  /** Opens a directory, once what the stream has not named in the one before is removed. */
  async open(number: number): Promise<void> {
    await this.close();
    const directory = this.#directories[number];
    if (!directory || directory.wasOpened) throw new BrokenStreamError(`directory ${number} cannot be opened`);
    directory.wasOpened = true;
    this.#open = directory;
    this.#named = new Set();
  }

  /** Removes what the stream has not named in the open directory. */
  async close(): Promise<void> {
    const { prefix, isNew } = this.#open ?? { prefix: '', isNew: true };
    this.#open = undefined;
    if (isNew) return;
    for (const { name } of await rawFiles.list(`${this.#root}/${prefix}`)) {
      if (!this.#named.has(name)) await rawFiles.remove(`${this.#root}/${prefix}${name}`);
    }
  }

  /** Throws unless every directory was opened. */
  async end(): Promise<void> {
    await this.close();
    if (!this.#directories.every(({ wasOpened }) => wasOpened)) throw new BrokenStreamError('a directory is missing');
  }

  /** Returns the path of a new entry of the open directory, below the tree. */
  name(name: string): string {
    const { prefix } = this.#requireOpen();
    if (this.#named.has(name)) throw new BrokenStreamError('a directory has an entry twice');
    this.#named.add(name);
    this.#entries += 1;
    const path = prefix + name;
    if (this.#entries > treeLimits.entries || path.length > treeLimits.pathBytes)
      throw new BrokenStreamError('too many entries, or a path that is too long');
    return path;
  }

  /** Makes a directory in the open one. */
  async add(name: string, mode: number): Promise<void> {
    const { depth } = this.#requireOpen();
    if (depth >= treeLimits.depth) throw new BrokenStreamError('too many directories in each other');
    const path = this.name(name);
    const isNew = await this.#make(`${this.#root}/${path}`, mode);
    this.#directories.push({ prefix: `${path}/`, depth: depth + 1, isNew, wasOpened: false });
  }

  /** Returns the path of a name in a directory of this stream. */
  pathIn(number: number, name: string): string {
    const directory = this.#directories[number];
    if (!directory) throw new BrokenStreamError(`there is no directory ${number}`);
    return directory.prefix + name;
  }

  #requireOpen(): Directory {
    if (!this.#open) throw new BrokenStreamError('no directory is open');
    return this.#open;
  }

  /** Makes a directory, or takes the one that is there; returns whether it is new. */
  async #make(path: string, mode: number): Promise<boolean> {
    // The owner has to write in it, whatever its mode was.
    const create = () => rawFiles.mkdir(path, mode | 0o700);
    try {
      await create();
      return true;
    } catch (error) {
      if (!hasCode(error, 'EEXIST')) throw error;
    }
    const found = await rawFiles.lstat(path);
    if (found.isDirectory()) return false;
    if (!found.isFile()) throw new BrokenStreamError('a link stands in the path of a directory');
    await rawFiles.unlink(path);
    await create();
    return true;
  }
}
