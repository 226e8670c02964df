/** Styles of the administration's pages. */
export const adminCss = `
.admin-head { margin: 0 0 1rem; }
.admin-head h1 { min-width: 0; }
.progress { display: grid; gap: 0.15rem; max-width: 34rem; margin: 0.3rem 0; }
.bad-text { color: var(--bad); }
.arguments { margin: 0.25rem 0; padding: 0.3rem 0.6rem; background: var(--bg-soft); border-radius: var(--radius); white-space: pre-wrap; overflow-wrap: anywhere; }
ul.rows > .row select { margin: 0.15rem 0; }
table.modules { max-width: 34rem; }
table.lanes { max-width: 34rem; margin: 0 0 1rem; }
table.lanes td { white-space: nowrap; padding-block: 0.2rem; }
table.lanes td:last-child { width: 50%; padding-right: 0; vertical-align: middle; }
table.lanes progress { min-width: 4rem; }
.panel h4 { margin: 0 0 0.25rem; font-size: 0.85rem; color: var(--text-soft); }
.running > li { display: grid; grid-template-columns: minmax(0, 1fr) auto auto; gap: 0 1rem; padding: 0.2rem 0; border-top: 1px solid var(--line); overflow-wrap: anywhere; }
.running > li > .number { font-variant-numeric: tabular-nums; }
.running > li > code { grid-column: 1 / -1; }
@media (min-width: 62rem) {
  .running > li { grid-template-columns: minmax(0, 1fr) 6rem 6rem 19rem; }
  .running > li > .number { text-align: right; }
  .running > li > code { grid-column: auto; }
}
`;
