import type { Changeset, VcsReads } from '../backend.ts';
import { changesetDate } from '../changeset-date.ts';
import { orderNodes } from '../node-order.ts';
import { scopeOfRead, type CallScope } from '../process/call-scope.ts';
import { normalizeRoot } from '../root-path.ts';
import { VcsError } from '../vcs-error.ts';
import { createHgContent } from './create-hg-content.ts';
import { createHgStream, type HgStreamOptions } from './hg-stream.ts';
import { hgCommandsOf, type HgCommands } from './hg-commands.ts';
import { listFiles } from './list-files.ts';
import { noChangeset } from './parse-log.ts';
import { readHgLog } from './read-log.ts';
import { readHgRefs } from './read-refs.ts';
import { resolveHgRevision } from './resolve-revision.ts';

function parseTip(output: string): Changeset | null {
  const [rawId = '', revision = '', date = '', author = '', ...message] = output.split('\0');
  if (rawId === noChangeset) return null;
  return {
    rawId,
    revision: Number(revision),
    author,
    date: changesetDate(Number(date.split(' ')[0])),
    message: message.join('\0'),
  };
}

/** Creates the reads of one call, or of operations; kept command servers are shared by all of them. */
export function createHgReads(kept: HgCommands, options: Omit<HgStreamOptions, 'scope'>, scope: CallScope): VcsReads {
  const hg = hgCommandsOf(kept, scope);
  const stream = createHgStream({ ...options, scope });
  return {
    ...createHgContent({ hg, stream, timeoutMs: options.timeoutMs }),
    forCall: (signal) => createHgReads(kept, options, scopeOfRead(signal)),
    async tip(path) {
      const template = '--template={node}\\0{rev}\\0{date|hgdate}\\0{author}\\0{desc}';
      return parseTip((await hg.run(path, ['log', '--rev=tip', template])).toString('utf8'));
    },
    resolveRevision: (path, revision) => resolveHgRevision(hg, path, revision),
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
    log: (path, query) => readHgLog(hg, path, query),
    refs: (path) => readHgRefs(hg, path),
    defaultBranch: async () => null,
  };
}
