/** Styles of the administration's pages. */
export const adminCss = `
.admin-head { margin: 0 0 1rem; }
.admin-head h1 { min-width: 0; }
.progress { display: grid; gap: 0.15rem; max-width: 34rem; margin: 0.3rem 0; }
.bad-text { color: var(--bad); }
.arguments { margin: 0.25rem 0; padding: 0.3rem 0.6rem; background: var(--bg-soft); border-radius: var(--radius); white-space: pre-wrap; overflow-wrap: anywhere; }
ul.rows > .row select { margin: 0.15rem 0; }
table.modules { max-width: 34rem; }
`;
