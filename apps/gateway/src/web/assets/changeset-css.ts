/** The width of the graph's columns in pixels, as in `graph-svg.tsx`; `lay-out-graph.ts` limits their number. */
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
