import type { VcsContent } from '../content.ts';
import { hgArchive } from './archive.ts';
import { hgDiff } from './diff.ts';
import { readHgDirectory } from './directory.ts';
import { readHgFileStats } from './file-stats.ts';
import type { HgCommands } from './hg-commands.ts';
import type { HgStream } from './hg-words.ts';
import { openHgFile } from './open-file.ts';
import { hgPatch } from './patch.ts';

export interface HgContentOptions {
  /** Kept servers, for what is small. */
  readonly hg: HgCommands;
  /** Processes of their own, for what may be large. */
  readonly stream: HgStream;
  readonly timeoutMs: number;
}

export function createHgContent(options: HgContentOptions): VcsContent {
  const { hg, stream } = options;
  return {
    directory: (path, rawId, directory) => readHgDirectory(hg, path, rawId, directory),
    openFile: (path, rawId, file) => openHgFile(options, path, rawId, file),
    diff: (path, rawId, diffOptions) => hgDiff(options, path, rawId, diffOptions),
    patch: (path, rawId, diffOptions) => hgPatch(stream, path, rawId, diffOptions),
    fileStats: (path, rawIds, filesMax) => readHgFileStats(options, path, rawIds, filesMax),
    archive: (path, rawId, archiveOptions) => hgArchive(options, path, rawId, archiveOptions),
  };
}
