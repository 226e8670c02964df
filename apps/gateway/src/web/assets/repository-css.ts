/** Styles of the pages of repositories. */
export const repositoryCss = `
.repository-head { margin: 0 0 1rem; }
.repository-head p { margin: 0.15rem 0; }
.repository-head h1 { margin: 0; font-weight: 600; min-width: 0; }
.repository-head h1 a { color: var(--text); text-decoration: none; }
.repository-head h1 a:hover { text-decoration: underline; }
.title { display: flex; flex-wrap: wrap; align-items: center; gap: 0.4rem 0.9rem; }
.title h1 { margin: 0; }
.title form, .title .actions { margin: 0 0 0 auto; }
.badges { display: inline-flex; flex-wrap: wrap; gap: 0.3rem; }
.count { color: var(--text-soft); font-size: 0.85rem; font-weight: 400; }
.repository-head .slash { color: var(--text-soft); margin: 0 0.15rem; }
.repository-list h3 { margin: 0; font-size: 1rem; min-width: 0; }
.more { margin: 0.75rem 0 1.5rem; }
.changeset-line a { white-space: nowrap; }
.changesets li { display: flex; flex-wrap: wrap; gap: 0 1rem; padding: 0.45rem 0; }
.changesets .about { flex: 1 1 16rem; min-width: 0; overflow-wrap: anywhere; }
.changesets .meta { flex: 0 1 auto; align-items: baseline; }
.repository-list .title { gap: 0.2rem 0.6rem; }
.repository-list p { margin: 0.15rem 0 0; }
pre.body { white-space: pre-wrap; overflow-wrap: anywhere; }
.panel .body > :first-child { margin-top: 0; }
pre.body { white-space: pre-wrap; overflow-wrap: anywhere; }
.panel .body > :last-child { margin-bottom: 0; }
.meta { display: flex; flex-wrap: wrap; gap: 0.1rem 1rem; color: var(--text-soft); font-size: 0.85rem; }
.message { font-family: var(--mono); font-size: 0.88rem; white-space: pre-wrap; overflow-wrap: anywhere; }
`;

/** The width of the graph's columns in pixels, as in `graph.tsx`, which limits their number. */
const columnWidth = 14;
const graphColumns = Array.from(
  { length: 12 },
  (_, index) => `.graph-columns-${index + 1} > li { padding-left: ${(index + 1) * columnWidth + 8}px; }`,
).join('\n');

/** Styles of the changelog, changesets, and the references to changesets. */
export const changesetCss = `
.inline select { width: 100%; }
@media (min-width: 40rem) { .inline select { max-width: 24rem; } }
.changelog { list-style: none; margin: 0; padding: 0; }
.changelog > li { position: relative; }
.changelog > li > .graph { position: absolute; inset: 0 auto 0 0; }
${graphColumns}
.changeset { padding: 0.5rem 0; border-bottom: 1px solid var(--line); display: grid; gap: 0.1rem 1.5rem; }
.changeset > * { min-width: 0; overflow-wrap: anywhere; }
.changeset .about > a { color: var(--text); text-decoration: none; margin-right: 0.35rem; }
.changeset .about > a:hover { text-decoration: underline; }
.changeset details { margin-top: 0.15rem; }
.changeset summary, .changeset .message { font-size: 0.85rem; }
.changeset summary { display: inline-block; color: var(--accent); cursor: pointer; }
.changeset summary:hover { text-decoration: underline; }
.changeset .message { margin: 0.3rem 0 0.4rem; }
@media (min-width: 60rem) {
  .changeset { grid-template-columns: minmax(0, 1fr) 26rem; }
  .changeset > .meta { display: grid; grid-template-columns: minmax(0, 1fr) 6.5rem 6.5rem 2.5rem; align-content: start; padding-top: 0.1rem; }
}
.refs { vertical-align: baseline; }
.badge.ref { white-space: normal; overflow-wrap: anywhere; color: var(--text); border-radius: 0.7rem; }
.badge.ref .kind { color: var(--text-soft); }
.ref-list td { white-space: nowrap; }
@media (min-width: 40rem) { .ref-list .meta { flex-wrap: nowrap; } }
.ref-list th.name { font-weight: 400; color: var(--text); font-size: inherit; min-width: 9rem; overflow-wrap: anywhere; }
.file-list td, .file-list th { padding: 0.2rem 0.75rem 0.2rem 0; }
.file-list td.soft { white-space: nowrap; font-size: 0.85rem; }
.file-list td.number { padding-right: 0; white-space: nowrap; }
.file-list th.path { width: 100%; font-weight: 400; color: var(--text); overflow-wrap: anywhere; }
.title.files { align-items: baseline; margin: 1.5rem 0 0.5rem; }
.title.files h2 { margin: 0; }
.line-counts { font-family: var(--mono); font-size: 0.85rem; font-variant-numeric: tabular-nums; white-space: nowrap; }
.line-counts .added { color: var(--good); }
.line-counts .removed { color: var(--bad); }
.diff-links { margin: 1.25rem 0 0.75rem; }
.diff-file { scroll-margin-top: 0.5rem; margin-bottom: 1rem; }
.diff-file:target { border-color: var(--accent); }
.diff-file > header h3 { margin: 0; font: 600 0.88rem/1.4 var(--mono); min-width: 0; }
.diff-file > header .to-file { margin-left: auto; font-size: 0.85rem; }
.diff-file > .note { margin: 0; padding: 0.5rem 0.9rem; font-size: 0.85rem; color: var(--text-soft); }
table.diff { font-family: var(--mono); font-size: 0.8rem; line-height: 1.45; table-layout: fixed; tab-size: 4; }
.diff td { border: 0; padding: 0 0.5rem; }
table.diff col.at { width: 3.2rem; }
.diff td.at { text-align: right; color: var(--text-soft); user-select: none; overflow-wrap: normal; }
.diff .line { white-space: pre-wrap; overflow-wrap: anywhere; }
.diff-added .at, .diff-removed .at, .diff-hunk .at { color: inherit; }
.diff-note { color: var(--text-soft); }
.diff mark { border-radius: 2px; text-decoration: underline; text-decoration-thickness: 1px; text-underline-offset: 3px; }
@media (max-width: 40rem) {
  table.diff col.at { width: 2.4rem; }
  .diff td.at { padding: 0 0.2rem; font-size: 0.7rem; }
  .diff .line { padding: 0 0.25rem; }
}
`;

/** Styles of directories and files. */
export const filesCss = `
.files-head { display: flex; flex-wrap: wrap; align-items: center; gap: 0.5rem 1.5rem; margin: 0 0 0.75rem; }
.breadcrumb { min-width: 0; }
.breadcrumb ol { list-style: none; display: flex; flex-wrap: wrap; margin: 0; padding: 0; font-size: 1.05rem; }
.breadcrumb li + li::before { content: "/"; color: var(--text-soft); margin: 0 0.4rem; }
.breadcrumb [aria-current] { font-weight: 600; }
.revisions { display: flex; flex-wrap: wrap; align-items: center; gap: 0.5rem; margin: 0; }
@media (min-width: 40rem) { .revisions { margin-left: auto; } }
.revisions select { max-width: min(14rem, 50vw); }
.revisions .hint { margin: 0; }
.at-changeset { padding: 0.5rem 0.9rem; margin: 0 0 1rem; background: var(--bg-soft); border: 1px solid var(--line); border-radius: var(--radius); overflow-wrap: anywhere; }
.directory td:first-child { width: 100%; padding-left: 1.6rem; overflow-wrap: anywhere; }
.directory td .badge { margin-left: 0.5rem; }
.directory th:last-child, .directory td:last-child { padding-right: 0; }
.directory tbody tr:hover { background: var(--bg-soft); }
.entry-icon { vertical-align: -0.15rem; margin: 0 0.6rem 0 -1.6rem; fill: none; stroke: var(--text-soft); stroke-width: 1.3; stroke-linejoin: round; }
.entry-icon.dir { fill: var(--accent); stroke: var(--accent); }
.file > header { justify-content: space-between; font-size: 0.85rem; }
.file > header p { display: flex; flex-wrap: wrap; gap: 0.2rem 1rem; margin: 0; }
.file > .body { margin: 0; }
.marks { color: var(--text-soft); }
.picture { text-align: center; margin: 0; }
.picture img { max-width: 100%; height: auto; background: #ffffff; }
.source { padding: 0.5rem 0; line-height: 1.5; tab-size: 8; }
.source .line { display: block; width: max-content; min-width: 100%; padding-right: 1rem; scroll-margin-top: 6rem; }
.source .line > a:first-child { display: inline-block; position: sticky; left: 0; min-width: 4rem; margin-right: 1rem; padding-right: 0.75rem; text-align: right; text-decoration: none; color: var(--text-soft); background: var(--code-bg); border-right: 1px solid var(--line); user-select: none; }
.source .line > a:first-child:hover { color: var(--accent); text-decoration: underline; }
.source .line:target { background: var(--warn-bg); }
.source .line:target > a:first-child { background: var(--warn-bg); color: var(--warn); font-weight: 700; border-right: 3px solid var(--warn); }
`;

/** Styles of rendered Markdown documents. */
export const markdownCss = `
.markdown { overflow-wrap: anywhere; }
.markdown > :first-child { margin-top: 0; }
.markdown > :last-child { margin-bottom: 0; }
.markdown h1 { font-size: 1.4rem; }
.markdown h1, .markdown h2 { padding-bottom: 0.25rem; border-bottom: 1px solid var(--line); }
.markdown ul, .markdown ol, .markdown pre, .markdown table, .markdown blockquote { margin: 0 0 1rem; }
.markdown pre { white-space: pre-wrap; padding: 0.7rem 0.9rem; background: var(--bg-soft); border: 1px solid var(--line); border-radius: var(--radius); }
.markdown pre code { background: none; padding: 0; }
.markdown :not(pre) > code { padding: 0.1rem 0.3rem; background: var(--bg-soft); border-radius: 3px; }
.markdown blockquote { padding-left: 1rem; border-left: 3px solid var(--line); color: var(--text-soft); }
.markdown table { display: block; width: auto; max-width: 100%; overflow-x: auto; }
.markdown th, .markdown td { padding: 0.35rem 0.75rem; border: 1px solid var(--line); }
.markdown .align-center { text-align: center; }
.markdown .align-right { text-align: right; }
.markdown .remote-image { display: inline-block; padding: 0 0.4rem; border: 1px solid var(--line); border-radius: 3px; }
.markdown img { max-width: 100%; height: auto; }
`;
