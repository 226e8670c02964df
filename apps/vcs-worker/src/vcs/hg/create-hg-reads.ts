import type { VcsReads } from '../backend.ts';
import type { VcsContent } from '../content.ts';
import { orderNodes } from '../node-order.ts';
import { scopeOfRead, type CallScope } from '../process/call-scope.ts';
import { normalizeRoot } from '../root-path.ts';
import { VcsError } from '../vcs-error.ts';
import { streamHgArchive } from './archive.ts';
import { requireComparableSizes } from './comparable-sizes.ts';
import { compareHg, readHgMergeBase } from './compare.ts';
import { streamHgDiff, streamHgPatch } from './diff.ts';
import { describeHgRefs, hgParentLines, readHgRefTimes } from './describe-refs.ts';
import { readHgDirectory } from './directory.ts';
import { readHgFileStats } from './file-stats.ts';
import { hgCommandsOf, type HgCommands } from './hg-commands.ts';
import { readHgDefaultRef, readHgRefs } from './hg-refs.ts';
import { readHgChanges, readHgChangesets, readHgLog, readHgRelations, readHgTip } from './hg-log.ts';
import { createHgStream, type HgContentTools, type HgStreamOptions } from './hg-stream.ts';
import { readHgLastChanges } from './last-changes.ts';
import { listFiles } from './list-files.ts';
import { openHgFile } from './open-file.ts';
import { annotateHgFile, readHgPathHistory } from './path-history.ts';
import { findByPrefix, resolveHgRevision } from './resolve-revision.ts';

function createHgContent(tools: HgContentTools): VcsContent {
  return {
    directory: (path, rawId, directory) => readHgDirectory(tools.hg, path, rawId, directory),
    openFile: (path, rawId, file) => openHgFile(tools, path, rawId, file),
    diff: (path, rawId, options) => streamHgDiff(tools, path, rawId, options),
    patch: (path, rawId, options) => streamHgPatch(tools, path, rawId, options),
    fileStats: (path, rawIds, filesMax) => readHgFileStats(tools, path, rawIds, filesMax),
    pathHistory: (path, rawId, file, options) => readHgPathHistory(tools, path, rawId, file, options),
    annotate: (path, rawId, file) => annotateHgFile(tools, path, rawId, file),
    lastChanges: (path, rawId, directory) => readHgLastChanges(tools, path, rawId, directory),
    archive: (path, rawId, options) => streamHgArchive(tools, path, rawId, options),
  };
}

interface HgReadOptions
  extends
    Omit<HgStreamOptions, 'scope'>,
    Pick<HgContentTools, 'diffExtension' | 'pathExtension' | 'lastChangesExtension'> {}

/** Creates the reads of one call, or of operations; kept command servers are shared by all of them. */
export function createHgReads(kept: HgCommands, options: HgReadOptions, scope: CallScope): VcsReads {
  const hg = hgCommandsOf(kept, scope);
  const stream = createHgStream({ ...options, scope });
  return {
    ...createHgContent({ ...options, hg, stream }),
    forCall: (signal) => createHgReads(kept, options, scopeOfRead(signal)),
    tip: (path) => readHgTip(hg, path),
    resolveRevision: (path, revision) => resolveHgRevision(hg, path, revision),
    findByPrefix: (path, prefix) => findByPrefix(hg, path, prefix),
    async nodes(path, rawId, root) {
      const directory = normalizeRoot(root);
      const below = directory === '' ? 0 : directory.length + 1;
      const files = await listFiles(hg, path, rawId, directory);
      const relative = files.map((name) => ({ path: name.slice(below), isDirectory: false }));
      return orderNodes(directory, relative);
    },
    async changeset(path, rawId, { withFiles }) {
      const [entry] = await readHgLog(hg, path, { from: rawId, to: rawId, withFiles });
      if (!entry) throw new VcsError('unknown-revision', 'no such changeset');
      return entry;
    },
    changesets: (path, rawIds) => readHgChangesets(hg, path, rawIds),
    relations: (path, rawId, max) => readHgRelations(hg, path, rawId, max),
    log: (path, query) => readHgLog(hg, path, query),
    mergeBase: (path, pair) => readHgMergeBase(hg, path, pair),
    compare: (path, query) => compareHg(hg, path, query),
    async changesSince(path, base, rawId) {
      await requireComparableSizes(hg, path, rawId, { base });
      return readHgChanges(hg, path, base ?? 'null', rawId);
    },
    refs: (path) => readHgRefs(hg, path),
    refTimes: (path) => readHgRefTimes(hg, path),
    describeRefs: (path, refs) => describeHgRefs(hg, path, refs),
    parentLines: (path, rawIds, until) => hgParentLines(stream, path, rawIds, until),
    defaultBranch: async () => null,
    defaultRef: (path) => readHgDefaultRef(hg, path),
  };
}
