import { serveTasks } from '@trunkline/runtime/concurrency';
import { highlightFile, highlightParts } from './highlight-lines.ts';
import { numberLines } from './plain-text.ts';
import { renderMarkdown } from './render-markdown.ts';
import { renderNotebook } from './render-notebook.ts';
import { renderTable } from './render-table.ts';
import type { FileParts, RenderTask } from './render-task.ts';

serveTasks((task: RenderTask): string => {
  switch (task.kind) {
    case 'highlight': {
      const { lines, language } = highlightFile(task.text, task.fileName);
      return `${language}\n${numberLines(lines)}`;
    }
    case 'parts':
      return JSON.stringify(highlightParts(JSON.parse(task.text) as FileParts));
    case 'markdown':
      return renderMarkdown(task.text, task);
    case 'notebook':
      return renderNotebook(task.text, task) ?? '';
    case 'table':
      return renderTable(task.text) ?? '';
  }
});
