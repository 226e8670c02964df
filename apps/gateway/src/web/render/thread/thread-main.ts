import { serveTasks } from '@trunkline/runtime/concurrency';
import { highlightFile } from '../highlight/highlight-lines.ts';
import { numberLines } from '../highlight/number-lines.ts';
import { renderMarkdown } from '../markdown/render-markdown.ts';
import type { RenderTask } from './render-task.ts';

serveTasks((task: RenderTask): string => {
  if (task.kind === 'highlight') return numberLines(highlightFile(task.text, task.fileName));
  return renderMarkdown(task.text, task);
});
