import type { VcsBackend } from '../vcs/backend.ts';
import type { Report } from '../vcs/progress.ts';
import type { Copies, CopyCall, CopyTarget, SentCounts, SentTree } from './copies.ts';
import { CheckedCopy, PublishedCopy, UnavailableError } from '@trunkline/contracts';
import * as v from 'valibot';
import type { HandedFiles } from './stream/handed-files.ts';
import { streamTree, type StreamedTree } from './stream/stream-tree.ts';

interface Options {
  /** Has one action of a copy done at its target. */
  readonly request: (call: CopyCall) => Promise<unknown>;
  readonly backends: Readonly<Record<'hg' | 'git', Pick<VcsBackend, 'isTransient'>>>;
}

const minuteMs = 60_000;
const briefMs = 30 * minuteMs;
const longMs = 24 * 60 * minuteMs;
/** Change times are compared with a margin, since file systems keep them in steps. */
const changeMarginMs = 2_000;
/** Times that files are sent again which the target lacks. */
const roundsMax = 4;

const Whole = v.pipe(v.number(), v.safeInteger(), v.minValue(0));
const ArrivedSchema = v.object({
  files: Whole,
  bytes: Whole,
  linked: Whole,
  lacking: v.array(v.string()),
  lacksMore: v.boolean(),
});

/** Sends one stream of a tree, and counts its bytes for the report. */
async function sendOnce(
  tools: Options,
  target: CopyTarget,
  tree: StreamedTree,
  { signal, report }: { readonly signal: AbortSignal; readonly report: (bytes: number) => void },
) {
  // A failure here is the reason, not the transfer that it cuts off.
  let failure: { readonly error: unknown } | undefined;
  async function* body(isAnswered: () => boolean, handed?: HandedFiles) {
    if (handed) handed.report = report;
    try {
      for await (const piece of streamTree({ ...tree, handed })) {
        if (isAnswered()) return;
        yield piece;
        report(piece.length);
      }
    } catch (error) {
      failure = { error };
      throw error;
    }
  }
  const whole = tree.changedSinceMs === null;
  const linkSources = tree.linkSources.map(({ storagePath }) => storagePath);
  const action = { kind: 'send', whole, linkSources } as const;
  try {
    return v.parse(ArrivedSchema, await tools.request({ target, action, signal, totalMs: longMs, body }));
  } catch (error) {
    throw failure ? failure.error : error;
  }
}

/** Sends a tree, then what the target lacks of it, until it lacks nothing. */
async function sendTree(tools: Options, target: CopyTarget, tree: SentTree, signal: AbortSignal, report?: Report) {
  const { path, changedSince, linkSources } = tree;
  const sum = { files: 0, bytes: 0, linked: 0 } satisfies SentCounts;
  let sentBytes = 0;
  let lacked = '';
  const reportBytes = (bytes: number) => {
    sentBytes += bytes;
    report?.({ phase: 'copying files', done: sentBytes, total: null, unit: 'bytes' });
  };
  let next: StreamedTree = {
    path,
    linkSources,
    isTransient: tools.backends[tree.type].isTransient,
    changedSinceMs: changedSince === null ? null : changedSince - changeMarginMs,
    again: new Set(),
  };
  for (let round = 0; round < roundsMax; round += 1) {
    const { files, bytes, linked, lacking, lacksMore } = await sendOnce(tools, target, next, {
      signal,
      report: reportBytes,
    });
    sum.files += files;
    sum.bytes += bytes;
    sum.linked += linked;
    const [first] = lacking;
    // A first copy need not be exact, since what has changed meanwhile is sent later.
    if (first === undefined || (changedSince === null && round > 0)) return sum;
    lacked = Buffer.from(first, 'latin1').toString();
    const again = { linkSources: [], again: new Set(lacking) };
    next = lacksMore ? { ...next, ...again, changedSinceMs: null } : { ...next, ...again, changedSinceMs: Infinity };
  }
  throw new UnavailableError({ cause: new Error(`\`${lacked}\` changes faster than it is sent`) });
}

/** Creates the sending side of copies. */
export function createCopies(tools: Options): Copies {
  const call = (target: CopyTarget, signal: AbortSignal, totalMs: number) => ({ target, signal, totalMs });
  return {
    async begin(target, bytes, signal) {
      await tools.request({ ...call(target, signal, briefMs), action: { kind: 'begin', bytes } });
    },
    send: (target, tree, signal, report) => sendTree(tools, target, tree, signal, report),
    async check(target, type, full, signal) {
      const action = { kind: 'check', type, full } as const;
      return v.parse(CheckedCopy, await tools.request({ ...call(target, signal, longMs), action }));
    },
    async publish(target, signal) {
      const action = { kind: 'publish' } as const;
      return v.parse(PublishedCopy, await tools.request({ ...call(target, signal, longMs), action }));
    },
  };
}
