import { serveTasks } from '@trunkline/runtime/concurrency';
import { highlightFile, highlightParts } from './highlight-lines.ts';
import { numberLines } from './plain-text.ts';
import { renderAsciidoc } from './render-asciidoc.ts';
import { renderMarkdown } from './render-markdown.ts';
import { renderNotebook } from './render-notebook.ts';
import { renderTable } from './render-table.ts';
import type { DocumentTask, FileParts, RenderTask } from './render-task.ts';
import { safeHtml } from './safe-html.ts';

async function renderDocument({ format, text, ...base }: DocumentTask): Promise<string | null> {
  if (format === 'markdown') return renderMarkdown(text, base);
  return format === 'asciidoc' ? renderAsciidoc(text, base) : safeHtml(text, base);
}

serveTasks(async (task: RenderTask): Promise<string> => {
  switch (task.kind) {
    case 'highlight': {
      const { lines, language } = highlightFile(task.text, task.fileName);
      return `${language}\n${numberLines(lines)}`;
    }
    case 'parts':
      return JSON.stringify(highlightParts(JSON.parse(task.text) as FileParts));
    case 'document':
      return (await renderDocument(task)) ?? '';
    case 'notebook':
      return renderNotebook(task.text, task) ?? '';
    case 'table':
      return renderTable(task.text) ?? '';
  }
});
