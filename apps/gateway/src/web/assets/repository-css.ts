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
