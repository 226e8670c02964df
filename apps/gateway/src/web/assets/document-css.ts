/** Styles of what documents have beside the common elements of Markdown. */
export const documentCss = `
.markdown .anchor { margin-left: 8px; font-weight: 400; color: var(--text-soft); text-decoration: none; opacity: 0; }
.markdown .anchor::before { content: "#"; }
.markdown :is(h1, h2, h3, h4, h5, h6):hover > .anchor, .markdown .anchor:focus-visible { opacity: 1; }
.markdown h4, .markdown h5, .markdown h6 { font-size: inherit; margin: 24px 0 8px; }
.markdown .alert { margin: 0 0 16px; padding: 8px 16px; border-left: 4px solid var(--line); }
.markdown .alert > :last-child, .markdown :is(td, th) > :last-child { margin-bottom: 0; }
.markdown .alert-title { margin: 0 0 4px; font-weight: 600; }
.markdown :is(.alert-note, .alert-important) { border-color: var(--accent); }
.markdown :is(.alert-note, .alert-important) > .alert-title { color: var(--accent); }
.markdown .alert-tip { border-color: var(--good); }
.markdown .alert-tip > .alert-title { color: var(--good); }
.markdown .alert-warning { border-color: var(--warn); }
.markdown .alert-warning > .alert-title { color: var(--warn); }
.markdown .alert-caution { border-color: var(--bad); }
.markdown .alert-caution > .alert-title { color: var(--bad); }
.markdown .alert > table, .markdown .alert > table > tbody, .markdown .alert > table > tbody > tr, .markdown .alert > table > tbody > tr > td { display: block; margin: 0; padding: 0; border: 0; }
.markdown .task { list-style: none; margin-left: -20px; }
.markdown .footnotes { font-size: 0.85rem; color: var(--text-soft); }
.markdown :is(div, p).block-title { margin: 0 0 4px; font-weight: 600; color: var(--text-soft); }
.markdown dl { margin: 0 0 16px; }
.markdown dt { font-weight: 600; }
.markdown dd { margin: 0 0 8px 24px; }
.markdown dd > :last-child, .markdown li > p:last-child { margin-bottom: 0; }
.markdown .line-block { margin: 0 0 16px; }
.markdown .line-block .line-block { margin: 0 0 0 24px; }
.markdown details { margin: 0 0 16px; }
.markdown summary { cursor: pointer; }
.markdown figure { margin: 0 0 16px; }
.markdown figcaption { color: var(--text-soft); font-size: 0.85rem; }
.markdown kbd { padding: 0 4px; border: 1px solid var(--line); border-radius: 3px; background: var(--bg-soft); font-family: var(--mono); font-size: 0.8rem; }
.markdown :is(sub, sup) { line-height: 0; }
.markdown .align-left { text-align: left; }
.markdown img.align-left { float: left; margin: 0 16px 8px 0; }
.markdown img.align-right { float: right; margin: 0 0 8px 16px; }
.markdown img.align-center { display: block; margin: 0 auto; }
`;
