/** Styles of fields and buttons. */
export const formsCss = `
label { display: block; font-weight: 600; }
input, select, textarea {
  font: inherit;
  color: inherit;
  background: var(--bg-raised);
  border: 1px solid var(--text-soft);
  border-radius: var(--radius);
  padding: var(--space-1) var(--space-2);
  min-height: var(--row);
  max-width: 100%;
}
input[type="checkbox"], input[type="radio"] { width: 18px; height: 18px; min-height: 0; margin: 0 var(--space-2) 0 0; vertical-align: -3px; accent-color: var(--accent); }
form > label + button, form + .stacked { margin-top: var(--space-3); }
.stacked { display: grid; gap: var(--space-4); max-width: 34rem; }
.stacked > * { margin: 0; }
.stacked + p { margin-top: var(--space-4); }
.stacked label > input:not([type="checkbox"], [type="radio"]), .stacked label > select, .stacked label > textarea { display: block; width: 100%; margin-top: var(--space-1); font-weight: 400; }
.stacked fieldset { border: 1px solid var(--line); border-radius: var(--radius); padding: var(--space-3) var(--space-4); display: grid; gap: var(--space-2); }
.hint { display: block; margin-top: var(--space-1); font-weight: 400; font-size: var(--size-small); color: var(--text-soft); }
.inline { display: flex; flex-wrap: wrap; align-items: end; gap: var(--space-2) var(--space-3); margin: 0 0 var(--space-3); }
.inline > label { min-width: 0; max-width: 100%; font-size: var(--size-small); }
.inline label > input, .inline label > select { display: block; font-weight: 400; font-size: var(--size-base); }
.inline select { width: 100%; }
@media (min-width: 40rem) { .inline select { max-width: 24rem; } }
.inline input[type="search"] { width: 100%; min-width: 14rem; }
.inline > a { line-height: var(--row); }
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
  padding: var(--space-1) var(--space-3);
  text-decoration: none;
}
button:hover, .button:hover { filter: brightness(1.08); }
button.plain, .button.plain { color: var(--text); background: var(--bg-raised); border-color: var(--text-soft); }
button.danger { color: var(--bad); background: var(--bg-raised); border-color: var(--bad); }
button.link { color: var(--accent); background: none; border: 0; padding: 0; font-weight: 400; }
button.link:hover { text-decoration: underline; }
button.small { padding: 2px var(--space-2); font-size: var(--size-small); }
details.confirmed > summary { display: inline-block; cursor: pointer; color: var(--bad); font-size: var(--size-small); line-height: var(--space-6); }
details.confirmed > summary:hover { text-decoration: underline; }
details.confirmed > form { display: grid; gap: var(--space-2); margin: var(--space-2) 0 var(--space-1); padding-left: var(--space-4); border-left: 3px solid var(--bad); }
td form { margin: 0; display: inline-block; }
.notice, .error, .warning { padding: var(--space-2) var(--space-4); border: 1px solid; border-radius: var(--radius); }
.notice { color: var(--good); background: var(--good-bg); }
.error { color: var(--bad); background: var(--bad-bg); }
.warning { color: var(--warn); background: var(--warn-bg); }
.notice a, .error a, .warning a { color: inherit; }
`;

/** Styles of lists, tables, tabs, badges and bars. */
export const componentsCss = `
.tabs, .sidebar { display: flex; gap: var(--space-3); overflow-x: auto; white-space: nowrap; margin: 0 0 var(--space-3); box-shadow: inset 0 -1px var(--line); scrollbar-width: thin; }
.tabs a, .sidebar a { flex: none; padding: 0 var(--space-1); line-height: var(--row); text-decoration: none; border-bottom: 3px solid transparent; color: var(--text); }
.tabs a:hover, .sidebar a:hover { border-color: var(--line); }
.tabs a[aria-current], .sidebar a[aria-current] { scroll-initial-target: nearest; border-color: var(--accent); font-weight: 600; }
.tabs + h2 { margin-top: 0; }
.scroll { position: relative; overflow-x: auto; margin: 0 0 var(--space-4); }
table { border-collapse: collapse; width: 100%; }
th a, .directory a, .rows h3 a { text-decoration: none; }
th a:hover, .directory a:hover, .rows h3 a:hover { text-decoration: underline; }
table.permissions td:last-child { white-space: nowrap; }
caption { text-align: left; font-weight: 600; padding: var(--space-1) 0; }
th, td { text-align: left; vertical-align: top; padding: var(--space-1) var(--space-3) var(--space-1) 0; border-bottom: 1px solid var(--line); }
th { font-size: var(--size-small); color: var(--text-soft); font-weight: 600; }
td.number, th.number { text-align: right; font-variant-numeric: tabular-nums; }
dl.facts { display: grid; grid-template-columns: minmax(7rem, max-content) minmax(0, 1fr); gap: var(--space-1) var(--space-5); margin: 0 0 var(--space-4); }
dl.facts dt { color: var(--text-soft); }
dl.facts dd { margin: 0; }
@media (max-width: 30rem) { dl.facts { grid-template-columns: fit-content(7rem) minmax(0, 1fr); gap: var(--space-1) var(--space-3); } }
ul.plain { list-style: none; padding: 0; margin: 0; }
.rows > li { padding: var(--space-2) 0; border-bottom: 1px solid var(--line); }
.rows > .row { display: flex; flex-wrap: wrap; align-items: center; gap: var(--space-1) var(--space-3); }
.row > form { margin: 0 0 0 auto; }
.rows p { margin: 0; }
.title { display: flex; flex-wrap: wrap; align-items: center; gap: var(--space-1) var(--space-3); }
.title h1, .title h2 { margin: 0; min-width: 0; }
.title form, .title .actions { margin: 0 0 0 auto; }
.meta { display: flex; flex-wrap: wrap; gap: 0 var(--space-4); color: var(--text-soft); font-size: var(--size-small); line-height: var(--space-6); }
.badges { display: inline-flex; flex-wrap: wrap; gap: var(--space-1); }
.badge { display: inline-block; font-size: 0.75rem; padding: 0 var(--space-2); border: 1px solid var(--line); border-radius: 1rem; color: var(--text-soft); background: var(--bg-soft); white-space: nowrap; }
.badge.good { color: var(--good); background: var(--good-bg); border-color: var(--good); }
.badge.bad { color: var(--bad); background: var(--bad-bg); border-color: var(--bad); }
.badge.warn { color: var(--warn); background: var(--warn-bg); border-color: var(--warn); }
.count { color: var(--text-soft); font-size: var(--size-small); font-weight: 400; }
.panel { border: 1px solid var(--line); border-radius: var(--radius); background: var(--bg-raised); margin: 0 0 var(--space-4); overflow: hidden; }
.panel > header { display: flex; flex-wrap: wrap; gap: var(--space-1) var(--space-4); align-items: center; min-height: 40px; padding: var(--space-1) var(--space-3); background: var(--bg-soft); border-bottom: 1px solid var(--line); }
.panel > header h2, .panel > header h3 { margin: 0; font-size: var(--size-base); }
.panel > .body { padding: var(--space-3); }
.panel .body > :first-child { margin-top: 0; }
.panel .body > :last-child { margin-bottom: 0; }
.pager { display: flex; gap: var(--space-4); margin: var(--space-2) 0; line-height: var(--row); }
.sidebar-layout { display: grid; grid-template-columns: minmax(0, 1fr); }
.sidebar-layout > div > h2:first-child, .part > h2:first-child, .part > .method:first-child > h2 { margin-top: 0; }
@media (min-width: 52rem) {
  .sidebar-layout { gap: var(--space-6); grid-template-columns: 13rem minmax(0, 1fr); }
  .sidebar { flex-direction: column; gap: 0; white-space: normal; box-shadow: none; }
  .sidebar a { padding: 0 var(--space-3); border-bottom: 0; border-left: 3px solid transparent; }
}
.methods { font-family: var(--mono); font-size: var(--size-small); }
.methods a { overflow-wrap: anywhere; line-height: var(--space-6); }
.method { margin: 0 0 var(--space-8); }
.method h2 { font-family: var(--mono); }
table.arguments td:not(:last-child) { overflow-wrap: normal; }
table.arguments td:first-child { white-space: nowrap; }
.method pre { margin: 0 0 var(--space-2); }
progress { width: 100%; min-width: 8rem; height: var(--space-3); accent-color: var(--accent); }
.key { overflow-wrap: anywhere; user-select: all; }
.copy { width: 100%; padding: var(--space-1) var(--space-2); line-height: var(--space-6); background: var(--bg-soft); border: 1px solid var(--line); border-radius: var(--radius); user-select: all; }
`;

/** Styles of the administration's pages. */
export const adminCss = `
.admin-head { margin: 0 0 var(--space-3); }
.progress { display: grid; max-width: 34rem; margin: var(--space-1) 0; }
.bad-text { color: var(--bad); }
pre.arguments { margin: var(--space-1) 0; padding: var(--space-1) var(--space-2); background: var(--bg-soft); border-radius: var(--radius); white-space: pre-wrap; overflow-wrap: anywhere; }
table.modules { max-width: 34rem; }
table.lanes { max-width: 34rem; margin: 0 0 var(--space-4); }
table.lanes td { white-space: nowrap; }
table.lanes td:last-child { width: 50%; padding-right: 0; vertical-align: middle; }
table.lanes progress { min-width: 4rem; }
.panel h4 { margin: 0 0 var(--space-1); font-size: var(--size-small); color: var(--text-soft); }
.running > li { display: grid; grid-template-columns: minmax(0, 1fr) auto auto; gap: 0 var(--space-4); padding: var(--space-1) 0; border-top: 1px solid var(--line); overflow-wrap: anywhere; }
.running > li > .number { font-variant-numeric: tabular-nums; }
.running > li > code { grid-column: 1 / -1; }
@media (min-width: 62rem) {
  .running > li { grid-template-columns: minmax(0, 1fr) 6rem 6rem 19rem; }
  .running > li > .number { text-align: right; }
  .running > li > code { grid-column: auto; }
}
`;
