/** Styles of a file: its header, lines, and what it is rendered as. */
export const fileCss = `
.file > header { gap: 0 var(--space-4); min-height: var(--row); padding: var(--space-1) var(--space-3); font-size: var(--size-small); }
.file > header p { margin: 0; line-height: var(--space-6); }
.file > header .marks, .file > header .links { display: flex; flex-wrap: wrap; gap: 0 var(--space-4); }
.file > header .at { flex: 1 1 14rem; min-width: 0; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
.file > header .links { margin-left: auto; }
.file > header .choose-end { flex-basis: 100%; }
.file > .body { margin: 0; }
.marks { color: var(--text-soft); }
.picture { text-align: center; margin: 0; }
.picture img { max-width: 100%; height: auto; color-scheme: light; background: Canvas; }
.source { padding: var(--space-1) 0; line-height: 1.5; tab-size: 8; }
.source .line { display: block; width: max-content; min-width: 100%; padding-right: var(--space-4); scroll-margin-top: 6rem; }
.source .line > a:first-child { display: inline-block; position: sticky; left: 0; min-width: 4rem; margin-right: var(--space-4); padding-right: var(--space-3); text-align: right; text-decoration: none; color: var(--text-soft); background: var(--code-bg); border-right: 1px solid var(--line); user-select: none; }
.source .line > a:first-child:hover { color: var(--accent); text-decoration: underline; }
.source .line:target, .source .line.marked { background: var(--warn-bg); }
.source .line:target > a:first-child, .source .line.marked > a:first-child { background: var(--warn-bg); color: var(--warn); font-weight: 700; border-right: 3px solid var(--warn); }
.values { width: auto; font-size: var(--size-small); }
.values th, .values td { padding: var(--space-1) var(--space-3); max-width: 24rem; overflow-wrap: break-word; border-right: 1px solid var(--line); }
.values th[scope="row"] { text-align: right; white-space: nowrap; font-weight: 400; user-select: none; }
.values thead th[scope="col"] { color: var(--text); }
.file > div > .scroll { margin: 0; }
.file > div > p.body { margin: 0; }
.notebook .cell { margin: 0 0 var(--space-4); }
.notebook .cell > * { margin: 0 0 var(--space-2); }
.notebook .prompt { font-family: var(--mono); font-size: var(--size-small); color: var(--text-soft); }
.notebook .code, .notebook .output { padding: var(--space-2) var(--space-3); border: 1px solid var(--line); border-radius: var(--radius); white-space: pre-wrap; overflow-wrap: anywhere; }
.notebook .output { background: var(--bg-soft); border-style: dashed; }
.notebook .output.error { color: var(--bad); background: var(--bad-bg); }
@media (max-width: 40rem) {
  .source .line > a:first-child { min-width: 2.6rem; margin-right: var(--space-2); padding-right: var(--space-1); }
  .file > header .links { margin-left: 0; }
}
`;
