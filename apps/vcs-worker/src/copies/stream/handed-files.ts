import { rawFiles } from './raw-files.ts';
import { handedFileBytes } from './tree-limits.ts';

/** Large files that are copied within a process: their sender hands them over open, in the order of their headers. */
export class HandedFiles {
  readonly #files: number[] = [];
  /** Is told of bytes that have been copied. */
  report: (bytes: number) => void = () => {};

  /** Takes over an open file whose header is sent without its content; returns false for a file that is too small. */
  hand(file: number, size: number): boolean {
    if (size < handedFileBytes) return false;
    this.#files.push(file);
    return true;
  }

  /** Returns the file whose header has come, which the caller closes; undefined when its content follows. */
  take(size: number): number | undefined {
    return size < handedFileBytes ? undefined : this.#files.shift();
  }

  /** Closes the files that were not taken. */
  close(): void {
    for (const file of this.#files.splice(0)) rawFiles.close(file).catch(() => {});
  }
}
