import type { VcsContent } from '../content.ts';
import { anySignal } from '../process/any-signal.ts';
import { archiveEnvironment, childEnvironment } from '../process/child-environment.ts';
import type { CallScope } from '../process/call-scope.ts';
import type { LimitsByWork } from '../process/command-limits.ts';
import { dieWithParentCommand } from '../process/limited-command.ts';
import type { RuntimeFiles } from '../process/runtime-files.ts';
import { streamCommand } from '../process/stream-command.ts';
import type { GitCommands } from './git-commands.ts';
import type { GitContentTools } from './git-content-tools.ts';
import type { ObjectReader } from './object-reader.ts';
import { openGitFile } from './open-git-file.ts';
import { readDirectory } from './read-directory.ts';
import { readFileStats } from './read-file-stats.ts';
import { streamArchive } from './stream-archive.ts';
import { streamDiff } from './stream-diff.ts';
import { streamPatch } from './stream-patch.ts';

interface GitContentOptions {
  readonly files: RuntimeFiles;
  readonly bzip2Command: readonly string[];
  readonly commandTimeoutMs: number;
  readonly limits: LimitsByWork;
  readonly scope: CallScope;
}

/** Size beyond which git neither compares a file line by line nor holds the whole file in memory. */
const bigFile = ['-c', 'core.bigFileThreshold=32m'];

export function createGitContent(git: GitCommands, reader: ObjectReader, options: GitContentOptions): VcsContent {
  const { limits, bzip2Command, commandTimeoutMs: timeoutMs, scope } = options;
  const env = childEnvironment();
  const tools: GitContentTools = {
    git,
    reader,
    stream: (path, args, own = {}) =>
      streamCommand(dieWithParentCommand(git.argv(path, [...bigFile, ...args]), limits.oneShot), {
        env,
        timeoutMs,
        memoryWaitMs: scope.memoryWaitMs,
        ...own,
        signal: anySignal(own.signal, scope.signal),
      }),
  };
  const archiving = {
    env: archiveEnvironment(options.files),
    timeoutMs,
    memoryWaitMs: scope.memoryWaitMs,
    bzip2Command: dieWithParentCommand(bzip2Command, limits.oneShot),
  };
  return {
    directory: (path, rawId, directory) => readDirectory(tools, path, rawId, directory),
    openFile: (path, rawId, file) => openGitFile(tools, path, rawId, file),
    diff: (path, rawId, wanted) => streamDiff(tools, path, rawId, wanted),
    patch: (path, rawId, wanted) => streamPatch(tools, path, rawId, wanted),
    fileStats: (path, rawIds, filesMax) => readFileStats(tools, path, rawIds, filesMax),
    archive: (path, rawId, wanted) => streamArchive(tools, archiving, path, rawId, wanted),
  };
}
