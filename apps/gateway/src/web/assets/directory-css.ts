/** Styles of directories, of what was changed last in them, and of the front page of a repository. */
export const directoryCss = `
.directory { font-size: var(--size-base); }
.directory td { height: var(--row); padding: var(--space-1) var(--space-4) var(--space-1) 0; line-height: 1.5; }
.directory tr:last-child td { border-bottom: 0; }
.directory tbody tr:hover { background: var(--bg-soft); }
.directory td:first-child { width: 34%; padding-left: calc(var(--space-3) + var(--space-6)); overflow-wrap: anywhere; }
.directory td .badge { margin-left: var(--space-2); }
.directory td.change { max-width: 0; width: 66%; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
.directory td.change a { color: var(--text-soft); text-decoration: none; }
.directory td.change a:hover { color: var(--accent); text-decoration: underline; }
.directory td.age, .directory td.number { white-space: nowrap; font-size: var(--size-small); line-height: var(--space-6); color: var(--text-soft); }
.directory td:last-child { padding-right: var(--space-3); }
.entry-icon { vertical-align: -3px; margin: 0 var(--space-2) 0 calc(-1 * var(--space-6)); fill: none; stroke: var(--text-soft); stroke-width: 1.3; stroke-linejoin: round; }
.entry-icon.dir { fill: var(--accent); stroke: var(--accent); }
.panel > header.last-change { display: flex; gap: 0 var(--space-3); min-height: calc(var(--row) + var(--space-2)); padding: var(--space-1) var(--space-3); font-size: var(--size-small); color: var(--text-soft); }
.last-change .author { flex: none; max-width: 40%; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; font-weight: 600; color: var(--text); }
.last-change .about { flex: 1 1 0; min-width: 0; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; font-size: var(--size-base); color: var(--text); text-decoration: none; }
.last-change .about:hover { text-decoration: underline; }
.last-change .mono { color: inherit; text-decoration: none; }
.last-change .mono:hover { text-decoration: underline; }
.last-change .mono, .last-change .history { flex: none; line-height: var(--space-6); }
.directory-panel > .hint { margin: 0; padding: var(--space-1) var(--space-3); }
.front { display: grid; grid-template-columns: minmax(0, 1fr); gap: 0 var(--space-8); }
.front-head { display: flex; flex-wrap: wrap; align-items: center; gap: var(--space-2) var(--space-4); margin: 0 0 var(--space-3); }
.front-head .revisions { margin: 0; }
.front-head .copy { flex: 1 1 16rem; width: auto; min-width: 0; margin: 0; padding: var(--space-1) var(--space-2); line-height: var(--space-6); }
.front aside h2 { margin: 0 0 var(--space-2); font-size: var(--size-title); }
.front aside dl.facts { grid-template-columns: minmax(0, 1fr); gap: 0; font-size: var(--size-small); }
.front aside dl.facts dd { margin: 0 0 var(--space-2); }
@media (min-width: 60rem) { .front { grid-template-columns: minmax(0, 1fr) 13rem; } }
@media (max-width: 40rem) {
  .directory td:first-child { width: 100%; }
  .directory td.change, .directory td.number { display: none; }
  .directory td:nth-last-child(2) { padding-right: var(--space-3); }
  .panel > header.last-change { flex-wrap: wrap; }
  .last-change .about { flex: 1 1 100%; order: -1; }
  .last-change .mono { display: none; }
  .last-change .history { margin-left: auto; }
}
`;
