/** Styles of the pages of changesets: their files and differences. */
export const diffCss = `
.neighbours { display: flex; flex-wrap: wrap; gap: 4px 24px; margin: 0 0 16px; font-size: 0.85rem; }
.neighbours a { min-width: 0; overflow-wrap: anywhere; }
.subject { margin-top: 0; }
.facts .mono { color: var(--text-soft); }
.file-list td, .file-list th { padding: 4px 12px 4px 0; }
.file-list td.soft { white-space: nowrap; font-size: 0.85rem; }
.file-list td.number { padding-right: 0; white-space: nowrap; }
.file-list td.bar { padding: 4px 0 4px 12px; line-height: 1; vertical-align: middle; }
.file-list th.path { width: 100%; font-weight: 400; color: var(--text); overflow-wrap: anywhere; }
.counts-bar { display: block; background: var(--bg-soft); }
.counts-bar .added { fill: var(--good); }
.counts-bar .removed { fill: var(--bad); }
.title.files { align-items: baseline; margin: 24px 0 8px; }
.title.files h2 { margin: 0; }
.line-counts { font-family: var(--mono); font-size: 0.85rem; font-variant-numeric: tabular-nums; white-space: nowrap; }
.line-counts .added { color: var(--good); }
.line-counts .removed { color: var(--bad); }
.diff-links { margin: 20px 0 12px; }
.panel.diff-file { scroll-margin-top: 8px; margin-bottom: 16px; overflow: clip; }
.diff-file:target { border-color: var(--accent); }
.diff-file summary {
  display: flex; flex-wrap: wrap; align-items: center; gap: 4px 12px; min-height: 32px; padding: 4px 12px;
  position: sticky; top: 0; background: var(--bg-soft); cursor: pointer;
}
.diff-file summary::before { content: "▸"; color: var(--text-soft); width: 12px; }
.diff-file details[open] > summary { border-bottom: 1px solid var(--line); }
.diff-file details[open] > summary::before { content: "▾"; }
.diff-file summary h3 { margin: 0; font: 600 0.88rem/1.4 var(--mono); min-width: 0; }
.diff-file summary h3 .soft { font-weight: 400; }
.diff-about { display: flex; flex-wrap: wrap; gap: 4px 16px; padding: 4px 12px; font-size: 0.85rem; }
.diff-about p { margin: 0; padding: 0; }
.diff-about .links { display: flex; flex-wrap: wrap; gap: 4px 16px; margin-left: auto; }
.diff-file .note { color: var(--text-soft); }
.diff-file details > .note { margin: 0; padding: 8px 12px; font-size: 0.85rem; }
.diff-images { display: flex; flex-wrap: wrap; gap: 16px; padding: 12px; }
.diff-images figure { margin: 0; min-width: 0; max-width: 100%; font-size: 0.85rem; }
.diff-images img { max-width: 100%; max-height: 400px; border: 1px solid var(--line); }
.diff-lines { overflow-x: auto; }
table.diff { font-family: var(--mono); font-size: 0.8rem; line-height: 1.45; table-layout: fixed; tab-size: 4; }
table.split { min-width: 56rem; }
.diff td { border: 0; padding: 0 8px; }
table.diff col.at { width: 3.2rem; }
.diff td.at { text-align: right; color: var(--text-soft); user-select: none; overflow-wrap: normal; }
.diff td.at a { display: block; color: inherit; text-decoration: none; }
.diff td.at a:hover { color: var(--accent); text-decoration: underline; }
.diff .line { white-space: pre-wrap; overflow-wrap: anywhere; padding-left: 24px; }
.diff .line::before { display: inline-block; width: 16px; margin-left: -16px; content: " "; white-space: pre; }
.diff-added > .line::before, .diff .line.diff-added::before { content: "+"; }
.diff-removed > .line::before, .diff .line.diff-removed::before { content: "−"; }
.diff-note > .line::before, .diff .line.diff-note::before { content: "\\\\"; }
.diff-hunk > .line::before { content: none; }
.diff-added .at, .diff-removed .at, .diff-hunk .at, .diff td.at.diff-added, .diff td.at.diff-removed { color: inherit; }
.diff td.diff-none { background: var(--bg-soft); }
.diff-note { color: var(--text-soft); }
.diff mark { border-radius: 2px; text-decoration: underline; text-decoration-thickness: 1px; text-underline-offset: 3px; }
.diff .tab-marks { background: repeating-linear-gradient(to right, var(--text-soft) 0 1px, transparent 1px 4ch); opacity: 0.6; }
.diff .trailing-space { background: var(--bad-bg); outline: 1px dotted var(--bad); outline-offset: -1px; }
.diff td.at:target, .diff:not(.split) td.at:target ~ td.line, .split td.at:target + td.line { background: var(--warn-bg); }
.diff td.at { scroll-margin-top: 64px; }
@media (max-width: 40rem) {
  table.diff col.at { width: 2.4rem; }
  .diff td.at { padding: 0 4px; font-size: 0.7rem; }
  .diff .line { padding-right: 4px; padding-left: 20px; }
  .diff-file summary { position: static; }
  .diff-about .links { margin-left: 0; }
}
@media (max-width: 40rem) { .file-list td.bar { display: none; } }
`;
