import { plainLines } from '../highlight/plain-lines.ts';
import { plainMarkdown } from '../markdown/plain-markdown.ts';
import { createThreadPool } from './create-thread-pool.ts';
import { textMax } from './render-caps.ts';
import type { HighlightTask, MarkdownTask } from './render-task.ts';

/**
 * The built file of a thread: threads run plain JavaScript, so that tests of the sources start the one in dist, too.
 */
const threadFile = new URL('../../../../dist/web/render/thread/thread-main.js', import.meta.url);

export interface Renderer {
  /** Returns safe HTML for each line of a file, coloured if the highlighting ends in time. */
  highlight(source: Omit<HighlightTask, 'kind'>): Promise<readonly string[]>;
  /** Returns safe HTML of a Markdown file, or its unrendered text if the rendering does not end in time. */
  markdown(document: Omit<MarkdownTask, 'kind'>): Promise<string>;
  close(): Promise<void>;
}

/** Creates a renderer that runs on threads, since hostile input can make grammars and parsers run without end. */
export function createRenderer({ taskMsMax = 1_000 } = {}): Renderer {
  const pool = createThreadPool({ file: threadFile, threads: 2, taskMsMax, waitMsMax: 3_000, waitingMax: 32 });
  return {
    async highlight({ text, fileName }) {
      if (text === '' || text.length > textMax) return plainLines(text);
      const html = await pool.run({ kind: 'highlight', text, fileName });
      return html === undefined ? plainLines(text) : html.split('\n');
    },
    async markdown({ text, directory, linkBase, rawBase }) {
      if (text.length > textMax) return plainMarkdown(text);
      const html = await pool.run({ kind: 'markdown', text, directory, linkBase, rawBase });
      return html ?? plainMarkdown(text);
    },
    close: pool.close,
  };
}
