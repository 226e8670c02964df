import { serveTasks } from '@trunkline/runtime/concurrency';
import { highlightFile } from './highlight-lines.ts';
import { numberLines } from './plain-text.ts';
import { renderMarkdown } from './render-markdown.ts';
import { renderNotebook } from './render-notebook.ts';
import { renderTable } from './render-table.ts';
import type { RenderTask } from './render-task.ts';

serveTasks((task: RenderTask): string => {
  switch (task.kind) {
    case 'highlight': {
      const { lines, language } = highlightFile(task.text, task.fileName);
      return `${language}\n${numberLines(lines)}`;
    }
    case 'markdown':
      return renderMarkdown(task.text, task);
    case 'notebook':
      return renderNotebook(task.text, task) ?? '';
    case 'table':
      return renderTable(task.text) ?? '';
  }
});
