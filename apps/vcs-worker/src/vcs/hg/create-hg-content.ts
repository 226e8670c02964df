import type { VcsContent } from '../content.ts';
import { streamHgArchive } from './archive.ts';
import { streamHgDiff } from './diff.ts';
import { readHgDirectory } from './directory.ts';
import { readHgFileStats } from './file-stats.ts';
import type { HgContentTools } from './hg-content-tools.ts';
import { openHgFile } from './open-file.ts';
import { streamHgPatch } from './patch.ts';

export function createHgContent(tools: HgContentTools): VcsContent {
  return {
    directory: (path, rawId, directory) => readHgDirectory(tools.hg, path, rawId, directory),
    openFile: (path, rawId, file) => openHgFile(tools, path, rawId, file),
    diff: (path, rawId, options) => streamHgDiff(tools, path, rawId, options),
    patch: (path, rawId, options) => streamHgPatch(tools, path, rawId, options),
    fileStats: (path, rawIds, filesMax) => readHgFileStats(tools, path, rawIds, filesMax),
    archive: (path, rawId, options) => streamHgArchive(tools, path, rawId, options),
  };
}
