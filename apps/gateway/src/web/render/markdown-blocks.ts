import type { StateCore, Token } from 'markdown-it';

const alertMark = /^\[!(note|tip|important|warning|caution)\]\s*$/i;

/** Returns the kind of alert that a block quote is, by its first line, such as `[!NOTE]`; undefined for any other. */
function alertKind(tokens: readonly Token[], at: number): string | undefined {
  const [quote, paragraph, inline] = tokens.slice(at, at + 3);
  if (quote?.type !== 'blockquote_open' || quote.level > 0 || paragraph?.type !== 'paragraph_open') return undefined;
  const [mark, lineEnd] = inline?.children ?? [];
  if (mark?.type !== 'text' || (lineEnd && !lineEnd.type.endsWith('break'))) return undefined;
  return alertMark.exec(mark.content)?.[1]?.toLowerCase();
}

/** Makes block quotes that begin with a mark such as `[!NOTE]` alerts: blocks with a title. */
export function makeAlerts(state: StateCore): void {
  let isInAlert = false;
  state.tokens = state.tokens.flatMap((token, at) => {
    if (isInAlert && token.type === 'blockquote_close' && token.level === 0) {
      isInAlert = false;
      token.tag = 'div';
    }
    const kind = alertKind(state.tokens, at);
    if (kind === undefined) return [token];
    isInAlert = true;
    token.tag = 'div';
    token.attrSet('class', `alert alert-${kind}`);
    const [, start, inline, end] = state.tokens.slice(at, at + 4);
    if (inline?.children) inline.children = inline.children.slice(2);
    // A paragraph that had the mark alone is not shown.
    for (const edge of [start, end]) if (edge) edge.hidden = inline?.children?.length === 0;
    const title = new state.Token('html_block', '', 0);
    title.content = `<p class="alert-title">${kind[0]?.toUpperCase()}${kind.slice(1)}</p>\n`;
    return [token, title];
  });
}

const taskMark = /^\[([ xX])\][ \t\u00a0]/;

/** Shows the mark of a task, `[ ]` or `[x]` at the beginning of a list item, as a box. */
export function showTask(tokens: readonly Token[], at: number): void {
  const [item, paragraph, inline] = tokens.slice(at, at + 3);
  if (item?.type !== 'list_item_open' || paragraph?.type !== 'paragraph_open') return;
  const first = inline?.children?.[0];
  const mark = first?.type === 'text' ? taskMark.exec(first.content) : null;
  if (!first || !mark) return;
  item.attrSet('class', 'task');
  first.content = `${mark[1] === ' ' ? '☐' : '☑'} ${first.content.slice(mark[0].length)}`;
}
