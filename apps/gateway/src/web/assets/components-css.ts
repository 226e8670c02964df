/** Styles of fields and buttons. */
export const formsCss = `
label { display: block; font-weight: 600; }
input, select, textarea {
  font: inherit;
  color: inherit;
  background: var(--bg-raised);
  border: 1px solid var(--text-soft);
  border-radius: var(--radius);
  padding: 0.4rem 0.6rem;
  max-width: 100%;
}
input[type="checkbox"], input[type="radio"] { width: 1.1rem; height: 1.1rem; margin: 0 0.4rem 0 0; vertical-align: -0.15rem; accent-color: var(--accent); }
.stacked { display: grid; gap: 1rem; max-width: 34rem; }
.stacked label > input:not([type="checkbox"], [type="radio"]), .stacked label > select, .stacked label > textarea { display: block; width: 100%; margin-top: 0.25rem; font-weight: 400; }
.stacked fieldset { border: 1px solid var(--line); border-radius: var(--radius); padding: 0.75rem 1rem; display: grid; gap: 0.5rem; }
.hint { display: block; margin-top: 0.2rem; font-weight: 400; font-size: 0.85rem; color: var(--text-soft); }
.inline { display: flex; flex-wrap: wrap; align-items: end; gap: 0.75rem; margin: 0 0 1rem; }
.inline > label { min-width: 0; max-width: 100%; }
.inline label > input, .inline label > select { display: block; margin-top: 0.2rem; font-weight: 400; min-height: 2.5rem; }
.inline input[type="search"] { width: 100%; min-width: 14rem; }
.inline > button { min-height: 2.5rem; }
.inline > a { padding: 0.5rem 0; }
button, .button {
  display: inline-block;
  justify-self: start;
  font: inherit;
  font-weight: 600;
  cursor: pointer;
  color: var(--accent-text);
  background: var(--accent);
  border: 1px solid var(--accent);
  border-radius: var(--radius);
  padding: 0.4rem 0.9rem;
  text-decoration: none;
}
button:hover, .button:hover { filter: brightness(1.08); }
button.plain, .button.plain { color: var(--text); background: var(--bg-raised); border-color: var(--text-soft); }
button.danger { color: var(--bad); background: var(--bg-raised); border-color: var(--bad); }
button.link { color: var(--accent); background: none; border: 0; padding: 0; font-weight: 400; }
button.link:hover { text-decoration: underline; }
button.small { padding: 0.15rem 0.6rem; font-size: 0.85rem; }
details.confirmed > summary { display: inline-block; cursor: pointer; color: var(--bad); font-size: 0.85rem; padding: 0.15rem 0; }
details.confirmed > summary:hover { text-decoration: underline; }
details.confirmed > form { display: grid; gap: 0.6rem; margin: 0.4rem 0 0.3rem; padding-left: 0.9rem; border-left: 3px solid var(--bad); }
td form { margin: 0; display: inline-block; }
.notice, .error { padding: 0.6rem 1rem; border-radius: var(--radius); border: 1px solid; }
.notice { color: var(--good); background: var(--good-bg); border-color: var(--good); }
.error { color: var(--bad); background: var(--bad-bg); border-color: var(--bad); }
.warning { padding: 0.6rem 1rem; border-radius: var(--radius); border: 1px solid var(--warn); color: var(--warn); background: var(--warn-bg); }
`;

/** Styles of lists, tables, tabs, badges and bars. */
export const componentsCss = `
.tabs { display: flex; flex-wrap: wrap; gap: 0 0.25rem; border-bottom: 1px solid var(--line); margin: 0 0 1.5rem; }
.tabs a { padding: 0.45rem 0.8rem; text-decoration: none; border-bottom: 3px solid transparent; margin-bottom: -1px; color: var(--text); }
.tabs a:hover { border-bottom-color: var(--line); }
.tabs a[aria-current] { border-bottom-color: var(--accent); font-weight: 600; }
.scroll { position: relative; overflow-x: auto; margin: 0 0 1rem; }
table { border-collapse: collapse; width: 100%; }
caption { text-align: left; font-weight: 600; padding: 0.25rem 0; }
th, td { text-align: left; vertical-align: top; padding: 0.45rem 0.75rem 0.45rem 0; border-bottom: 1px solid var(--line); }
th { font-size: 0.85rem; color: var(--text-soft); font-weight: 600; }
td.number, th.number { text-align: right; font-variant-numeric: tabular-nums; }
dl.facts { display: grid; grid-template-columns: minmax(7rem, max-content) minmax(0, 1fr); gap: 0.35rem 1.25rem; margin: 0 0 1.5rem; }
dl.facts dt { color: var(--text-soft); }
dl.facts dd { margin: 0; }
@media (max-width: 30rem) { dl.facts { grid-template-columns: minmax(0, 1fr); gap: 0; } dl.facts dd { margin-bottom: 0.6rem; } }
ul.plain { list-style: none; padding: 0; margin: 0; }
.rows > li { padding: 0.7rem 0; border-bottom: 1px solid var(--line); }
.rows > .row { display: flex; flex-wrap: wrap; align-items: center; gap: 0.35rem 0.75rem; }
.row > form { margin: 0 0 0 auto; }
.badge { display: inline-block; font-size: 0.75rem; line-height: 1.4; padding: 0 0.45rem; border: 1px solid var(--line); border-radius: 1rem; color: var(--text-soft); background: var(--bg-soft); white-space: nowrap; }
.badge.good { color: var(--good); background: var(--good-bg); border-color: var(--good); }
.badge.bad { color: var(--bad); background: var(--bad-bg); border-color: var(--bad); }
.badge.warn { color: var(--warn); background: var(--warn-bg); border-color: var(--warn); }
.panel { border: 1px solid var(--line); border-radius: var(--radius); background: var(--bg-raised); margin: 0 0 1.5rem; overflow: hidden; }
.panel > header { display: flex; flex-wrap: wrap; gap: 0.25rem 1rem; align-items: center; padding: 0.55rem 0.9rem; background: var(--bg-soft); border-bottom: 1px solid var(--line); }
.panel > header h2 { margin: 0; font-size: 1rem; }
.panel > header h2, .panel > header h3 { margin: 0; font-size: 1rem; }
.panel > .body { padding: 0.9rem; }
.pager { display: flex; gap: 1rem; margin: 1rem 0; }
.columns { display: grid; grid-template-columns: minmax(0, 1fr); gap: 2rem; }
@media (min-width: 60rem) { .columns.aside { grid-template-columns: minmax(0, 2.4fr) minmax(0, 1fr); } }
.sidebar-layout { display: grid; gap: 1.5rem; grid-template-columns: minmax(0, 1fr); }
@media (min-width: 52rem) { .sidebar-layout { grid-template-columns: 13rem minmax(0, 1fr); } }
.sidebar-layout h2:first-child { margin-top: 0; }
.sidebar { display: flex; flex-wrap: wrap; gap: 0.15rem 0.25rem; align-content: start; }
@media (min-width: 52rem) { .sidebar { flex-direction: column; flex-wrap: nowrap; } }
.sidebar a { padding: 0.35rem 0.7rem; border-radius: var(--radius); text-decoration: none; color: var(--text); }
.sidebar a:hover { background: var(--bg-soft); }
.sidebar a[aria-current] { background: var(--bg-soft); font-weight: 600; box-shadow: inset 3px 0 0 var(--accent); }
.rows p { margin: 0.15rem 0; }
.methods { font-family: var(--mono); font-size: 0.85rem; }
.methods a { padding: 0.15rem 0.7rem; overflow-wrap: anywhere; }
.method { margin: 0 0 3rem; }
.method h2 { font-family: var(--mono); }
.arguments td:not(:last-child) { overflow-wrap: normal; }
.arguments td:first-child { white-space: nowrap; }
.method pre { margin: 0 0 0.5rem; }
.part > .method:first-child > h2, .part > h2:first-child { margin-top: 0; }
progress { width: 100%; min-width: 8rem; height: 0.8rem; accent-color: var(--accent); }
.key { font-family: var(--mono); font-size: 0.85rem; overflow-wrap: anywhere; user-select: all; }
.copy { display: block; width: 100%; padding: 0.5rem 0.7rem; font-family: var(--mono); font-size: 0.85rem; background: var(--bg-soft); border: 1px solid var(--line); border-radius: var(--radius); user-select: all; overflow-x: auto; white-space: pre; }
`;

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
