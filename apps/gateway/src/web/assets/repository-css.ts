/** Styles of the pages of repositories. */
export const repositoryCss = `
.repository-head p { margin: 0 0 var(--space-1); }
.repository-head h1 { font-weight: 600; }
.repository-head h1 a { color: var(--text); text-decoration: none; }
.repository-head h1 a:hover { text-decoration: underline; }
.repository-head .slash { color: var(--text-soft); margin: 0 2px; }
.repository-head.short .title, .repository-head.short h1, .repository-head.short .badges { flex-wrap: nowrap; min-width: 0; white-space: nowrap; }
.repository-head.short h1 { display: flex; }
.repository-head.short h1 a { overflow: hidden; text-overflow: ellipsis; }
.repository-head.short h1 a:last-child { flex: none; max-width: 100%; }
.repository-head.short .badges { flex: none; max-width: 50%; overflow: hidden; }
.repository-head.short form { flex: none; }
.repository-head + .inline { margin-top: var(--space-2); }
.repository-head h1 :focus-visible { outline-offset: -3px; }
@media (max-width: 40rem) { .repository-head.short .badge.type { display: none; } }
.repository-list h3 { margin: 0; min-width: 0; }
.more { margin: var(--space-3) 0 var(--space-4); }
.changeset-line a { white-space: nowrap; }
pre.body { white-space: pre-wrap; overflow-wrap: anywhere; }
.message { font-family: var(--mono); font-size: var(--size-code); white-space: pre-wrap; overflow-wrap: anywhere; }
`;

/** The width of the graph's columns in pixels, as in `graph.tsx`, which limits their number. */
const columnWidth = 14;
const graphColumns = Array.from(
  { length: 12 },
  (_, index) => `.graph-columns-${index + 1} > li { padding-left: ${(index + 1) * columnWidth + 8}px; }`,
).join('\n');

/** Styles of the changelog, and the references to changesets. */
export const changesetCss = `
.changelog { list-style: none; margin: 0; padding: 0; }
.changelog > li { position: relative; }
.changelog > li > .graph { position: absolute; inset: 0 auto 0 0; }
${graphColumns}
.changeset { padding: var(--space-1) 0; border-bottom: 1px solid var(--line); display: grid; gap: 0 var(--space-6); }
.changeset > * { min-width: 0; overflow-wrap: anywhere; }
.changeset .about > a { color: var(--text); text-decoration: none; margin-right: var(--space-1); }
.changeset .about > a:hover { text-decoration: underline; }
.changeset details:not([open]) { display: inline-block; vertical-align: bottom; margin-left: var(--space-2); }
.changeset summary { display: inline-block; font-size: var(--size-small); line-height: var(--space-6); color: var(--accent); cursor: pointer; }
.changeset summary:hover { text-decoration: underline; }
.changeset .message { margin: var(--space-1) 0; }
@media (min-width: 60rem) {
  .changeset { grid-template-columns: minmax(0, 1fr) 26rem; }
  .changeset > .meta { display: grid; grid-template-columns: minmax(0, 1fr) 6.5rem 6.5rem 2.5rem; align-content: start; }
  .changeset .author { overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
}
.refs { vertical-align: baseline; }
.badge.ref { white-space: normal; overflow-wrap: anywhere; color: var(--text); }
.badge.ref .kind { color: var(--text-soft); }
`;

/** Styles of directories, and of what stands above files, too. */
export const filesCss = `
.files-head { display: flex; flex-wrap: wrap; align-items: center; gap: var(--space-1) var(--space-4); margin: 0 0 var(--space-2); }
.breadcrumb { min-width: 0; }
.breadcrumb ol { list-style: none; display: flex; flex-wrap: wrap; margin: 0; padding: 0; line-height: var(--row); }
.breadcrumb a { display: inline-block; min-width: var(--space-6); text-align: center; }
.breadcrumb li + li::before { content: "/"; color: var(--text-soft); margin: 0 var(--space-1); }
.breadcrumb [aria-current] { font-weight: 600; }
`;

/** Styles of rendered Markdown documents. */
export const markdownCss = `
.markdown { overflow-wrap: anywhere; }
.markdown > :first-child { margin-top: 0; }
.markdown > :last-child { margin-bottom: 0; }
.markdown h1 { font-size: 1.375rem; margin: var(--space-6) 0 var(--space-3); }
.markdown h2 { font-size: 1.2rem; }
.markdown h1, .markdown h2 { padding-bottom: var(--space-1); border-bottom: 1px solid var(--line); }
.markdown ul, .markdown ol, .markdown pre, .markdown table, .markdown blockquote { margin: 0 0 var(--space-4); }
.markdown pre { white-space: pre-wrap; padding: var(--space-3); background: var(--bg-soft); border: 1px solid var(--line); border-radius: var(--radius); }
.markdown pre code { background: none; padding: 0; }
.markdown :not(pre) > code { padding: 2px var(--space-1); background: var(--bg-soft); border-radius: 3px; }
.markdown blockquote { padding-left: var(--space-4); border-left: 3px solid var(--line); color: var(--text-soft); }
.markdown table { display: block; width: auto; max-width: 100%; overflow-x: auto; }
.markdown th, .markdown td { padding: var(--space-1) var(--space-3); border: 1px solid var(--line); }
.markdown .align-center { text-align: center; }
.markdown .align-right { text-align: right; }
.markdown .remote-image { display: inline-block; padding: 0 var(--space-2); border: 1px solid var(--line); border-radius: 3px; }
.markdown img { max-width: 100%; height: auto; }
`;
