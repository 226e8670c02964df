import { serveTasks } from '@trunkline/runtime/concurrency';
import { highlightFile } from './highlight-lines.ts';
import { numberLines } from './plain-text.ts';
import { renderMarkdown } from './render-markdown.ts';
import type { RenderTask } from './render-task.ts';

serveTasks((task: RenderTask): string => {
  if (task.kind === 'highlight') return numberLines(highlightFile(task.text, task.fileName));
  return renderMarkdown(task.text, task);
});
