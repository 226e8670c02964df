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
