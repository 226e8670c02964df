import { parentPort } from 'node:worker_threads';
import { highlightFile } from '../highlight/highlight-lines.ts';
import { numberLines } from '../highlight/number-lines.ts';
import { renderMarkdown } from '../markdown/render-markdown.ts';
import type { RenderTask } from './render-task.ts';
import type { ThreadMessage } from './thread-message.ts';

function render(task: RenderTask): string {
  if (task.kind === 'highlight') return numberLines(highlightFile(task.text, task.fileName));
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
