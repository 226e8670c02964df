import { createHash } from 'node:crypto';
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';
import { CoalescingCache, createThreadPool, type CacheFigures, type ThreadPool } from '@trunkline/runtime/concurrency';
import { plainSource } from './plain-text.ts';
import { countLines } from './shown-text.ts';
import {
  htmlMax,
  textMax,
  type ColouredParts,
  type DocumentTask,
  type FileParts,
  type HighlightTask,
  type NotebookTask,
  type RenderTask,
} from './render-task.ts';

/** The built file of a thread, which tests of the sources start, too. */
const threadFile = createRequire(import.meta.url).resolve('@trunkline/gateway/render-thread');
const keptBytesMax = 64 * 1_024 * 1_024;
/** Memory of a kept rendering beside its HTML and its key, in bytes. */
const bytesOfEntry = 300;
/** Time for which a text that could not be rendered is not tried again: the failure may be due to a busy machine. */
const failedMsMax = 60_000;

/** Thrown when a text gets no thread in time; the text itself may be sound. */
export class NoThreadError extends Error {
  override readonly name = 'NoThreadError';
}

export interface RenderedSource {
  /** Safe HTML of the lines, each with its number. */
  readonly html: string;
  /** Number of all lines, of which `html` has the first `shownLinesMax`. */
  readonly lineCount: number;
  /** The language's name for people; empty where none is known. */
  readonly language: string;
}

export interface Renderer {
  /** Returns the source of a file, coloured if the file is small and the highlighting ends in time. */
  source(source: Omit<HighlightTask, 'kind'>): Promise<RenderedSource>;
  /** Returns the lines of parts of files as safe HTML, null for parts without colours; [] if it does not end in time. */
  parts(parts: FileParts): Promise<ColouredParts>;
  /** Returns safe HTML of a document; null when it is too large, or the rendering does not end in time. */
  document(document: Omit<DocumentTask, 'kind'>): Promise<string | null>;
  /** Returns safe HTML of a notebook of Jupyter; null for a text that is none, or whose rendering does not end in time. */
  notebook(document: Omit<NotebookTask, 'kind'>): Promise<string | null>;
  /** Returns safe HTML of a file of separated values; null for one that is too large, or takes too long. */
  table(text: string): Promise<string | null>;
}

export interface Renderers {
  /** Returns the renderer of one caller, who gets half of the threads at most. */
  of(caller: string): Renderer;
  readonly figures: CacheFigures;
  close(): Promise<void>;
}

/** What a thread made of a text; null when it failed. */
interface Rendering {
  readonly html: string | null;
}

/** Returns what a task is kept by: its text, which callers have read with their own rights, and its settings. */
function keyOf({ text, ...settings }: RenderTask): string[] {
  return [createHash('sha256').update(text).digest('base64'), JSON.stringify(settings)];
}

/** Returns a function that renders each text once for all callers, on threads. */
function keepingRenderings(pool: Pick<ThreadPool<RenderTask, string>, 'run'>) {
  const kept = new CoalescingCache<Rendering>(
    keptBytesMax,
    ({ html }, key) => 2 * ((html?.length ?? 0) + key.length) + bytesOfEntry,
    ({ html }) => (html === null ? failedMsMax : undefined),
  );
  const render = async (task: RenderTask, caller: string): Promise<string | null> => {
    const key = keyOf(task);
    let isOwn = false;
    const run = async () => {
      isOwn = true;
      return { html: (await pool.run(task, caller)) ?? null };
    };
    const get = () => kept.get(key, run);
    try {
      // A caller whose share is used up must not spoil the rendering for another who waits for the same text.
      return (await get().catch((error: unknown) => (isOwn ? Promise.reject(error) : get()))).html;
    } catch (error) {
      if (error instanceof NoThreadError) return null;
      throw error;
    }
  };
  return { render, kept };
}

/** Creates renderers that run on threads, since hostile input can make grammars and parsers run without end. */
export function createRenderers({
  taskMsMax = 2_000,
  pool = createThreadPool<RenderTask, string>({
    file: pathToFileURL(threadFile),
    threads: 2,
    taskMsMax,
    waitMsMax: 3_000,
    waitingMax: 32,
    isShared: true,
    refuse: (reason) => new NoThreadError(reason),
  }),
} = {}): Renderers {
  const { render, kept } = keepingRenderings(pool);
  return {
    of: (caller) => ({
      async source({ text, fileName }) {
        const made = await render({ kind: 'highlight', text, fileName }, caller);
        // The thread's answer begins with a line that names the language.
        const nameEnd = made?.indexOf('\n') ?? 0;
        const html = made?.slice(nameEnd + 1) ?? (await plainSource(text));
        return { html, lineCount: countLines(text), language: made?.slice(0, nameEnd) ?? '' };
      },
      async parts(parts) {
        const made = await render({ kind: 'parts', text: JSON.stringify(parts) }, caller);
        return made === null ? [] : (JSON.parse(made) as ColouredParts);
      },
      async document({ format, text, directory, linkBase, rawBase }) {
        if (text.length > (format === 'html' ? htmlMax : textMax)) return null;
        const task = { kind: 'document', format, text, directory, linkBase, rawBase } as const;
        return (await render(task, caller)) || null;
      },
      notebook: async ({ text, directory, linkBase, rawBase }) =>
        (await render({ kind: 'notebook', text, directory, linkBase, rawBase }, caller)) || null,
      table: async (text) => (await render({ kind: 'table', text }, caller)) || null,
    }),
    get figures() {
      return kept.figures;
    },
    close: pool.close,
  };
}
