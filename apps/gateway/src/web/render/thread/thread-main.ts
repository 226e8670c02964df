import { parentPort } from 'node:worker_threads';
import { highlightFile } from '../highlight/highlight-lines.ts';
import { renderMarkdown } from '../markdown/render-markdown.ts';
import type { RenderTask } from './render-task.ts';
import type { ThreadMessage } from './thread-message.ts';

function render(task: RenderTask): string {
  // A line of highlighted text holds no line feed, so that line feeds can join the lines.
  if (task.kind === 'highlight') return highlightFile(task.text, task.fileName).join('\n');
  return renderMarkdown(task.text, task);
}

function answer(task: RenderTask): ThreadMessage {
  try {
    return { kind: 'done', html: render(task) };
  } catch {
    // The stack or the maximum string length was exceeded.
    return { kind: 'failed' };
  }
}

parentPort?.on('message', (task: RenderTask) => parentPort?.postMessage(answer(task)));
parentPort?.postMessage({ kind: 'ready' } satisfies ThreadMessage);
