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
