/**
 * Colours, type and the frame of every page, light or dark as the visitor's system prefers. All other styles are built
 * on its variables: distances are `--space-1` (4 px) to `--space-8` (32 px), rows of lists `--row` high, texts
 * `--size-small`, `--size-base`, `--size-title` or `--size-page`, code `--size-code`; `--text-soft` is for what is quiet.
 */
export const foundationCss = `
:root {
  color-scheme: light dark;
  --bg: #ffffff;
  --bg-soft: #f5f7f9;
  --bg-raised: #ffffff;
  --text: #1b2329;
  --text-soft: #53606b;
  --line: #d6dde3;
  --accent: #1a5a9e;
  --accent-text: #ffffff;
  --good: #1a6b35;
  --good-bg: #e6f4ea;
  --bad: #a32020;
  --bad-bg: #fbeaea;
  --warn: #7a4d00;
  --warn-bg: #fdf3dc;
  --radius: 6px;
  --space-1: 4px; --space-2: 8px; --space-3: 12px; --space-4: 16px; --space-5: 20px; --space-6: 24px; --space-7: 28px; --space-8: 32px;
  --row: 32px;
  --page: 80rem;
  --size-small: 0.8125rem;
  --size-code: 0.8125rem;
  --size-base: 0.9375rem;
  --size-title: 1.0625rem;
  --size-page: 1.25rem;
  --mono: ui-monospace, SFMono-Regular, Menlo, Consolas, "Liberation Mono", "DejaVu Sans Mono", monospace;
}
@media screen and (prefers-color-scheme: dark) {
  :root {
    --bg: #0f1419;
    --bg-soft: #171d24;
    --bg-raised: #1c232b;
    --text: #e3e8ec;
    --text-soft: #a3b0bb;
    --line: #33404b;
    --accent: #7db4ee;
    --accent-text: #0b1520;
    --good: #7fd39a;
    --good-bg: #16301f;
    --bad: #f29b9b;
    --bad-bg: #3a1c1c;
    --warn: #ecc678;
    --warn-bg: #33280f;
  }
}
*, *::before, *::after { box-sizing: border-box; }
html { font-size: 16px; -webkit-text-size-adjust: 100%; text-size-adjust: 100%; }
body {
  margin: 0;
  background: var(--bg);
  color: var(--text);
  font: var(--size-base)/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", "Liberation Sans", "DejaVu Sans", sans-serif;
}
h1 { font-size: var(--size-page); line-height: var(--row); margin: 0 0 var(--space-2); }
h2 { font-size: var(--size-title); line-height: var(--space-6); margin: var(--space-6) 0 var(--space-2); }
h3 { font-size: var(--size-base); margin: var(--space-5) 0 var(--space-2); }
h1, h2, h3, p, li, dd, td { overflow-wrap: anywhere; }
p { margin: 0 0 var(--space-3); }
a { color: var(--accent); text-decoration-thickness: 1px; text-underline-offset: 2px; }
a:hover { text-decoration-thickness: 2px; }
a.mono { color: var(--text-soft); text-decoration: none; }
a.mono:hover { color: var(--accent); text-decoration: underline; }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; border-radius: 3px; }
code, pre, .mono { font-family: var(--mono); font-size: var(--size-code); }
pre { overflow-x: auto; margin: 0; }
hr { border: 0; border-top: 1px solid var(--line); margin: var(--space-8) 0; }
.skip { position: absolute; left: -100rem; top: 0; padding: var(--space-2) var(--space-4); background: var(--accent); color: var(--accent-text); }
.skip:focus { left: 0; z-index: 2; }
.site, .site nav, .site .account { display: flex; align-items: center; gap: var(--space-4); }
.site {
  overflow-x: auto;
  white-space: nowrap;
  padding: var(--space-1) max(var(--space-4), calc((100vw - var(--page)) / 2 + var(--space-4)));
  background: var(--bg-soft);
  border-bottom: 1px solid var(--line);
}
.site * { flex: none; }
.site a, .site button { line-height: var(--row); text-decoration: none; }
.site a:hover { text-decoration: underline; }
.site .brand { color: var(--text); font-weight: 700; font-size: var(--size-title); }
.site .brand, .site .account > a { max-width: 14rem; overflow: hidden; text-overflow: ellipsis; }
.site .account { margin-left: auto; }
.site form { margin: 0; }
.site a[aria-current] { color: var(--text); font-weight: 600; }
.site :focus-visible, .tabs :focus-visible, .sidebar :focus-visible { outline-offset: -3px; }
main { max-width: var(--page); margin: 0 auto; padding: var(--space-2) var(--space-4) var(--space-8); }
.narrow { max-width: 28rem; margin: var(--space-8) auto; }
.soft { color: var(--text-soft); }
.small { font-size: var(--size-small); }
.nowrap { white-space: nowrap; }
.visually-hidden {
  position: absolute; width: 1px; height: 1px; margin: -1px; padding: 0; overflow: hidden; clip-path: inset(50%); white-space: nowrap;
}
@media (max-width: 40rem) {
  :root { --size-page: 1.125rem; }
  .site, main { padding-left: var(--space-3); padding-right: var(--space-3); }
  .site, .site nav, .site .account { gap: var(--space-3); }
  .site .brand, .site .account > a { max-width: 6.5rem; }
  .site nav a[href="/"] { display: none; }
}
`;

/** The last of all styles: what is printed has no navigation, wraps, and tells where its links lead. */
export const printCss = `
@media print {
  .site, .skip, .tabs, .sidebar, .pager, .links, .ref-picker, .breadcrumb, .neighbours, .diff-links, form { display: none; }
  main { max-width: none; padding: 0; }
  a { color: inherit; }
  .markdown a[href^="http"]::after { content: " (" attr(href) ")"; color: var(--text-soft); }
  .panel, .panel.diff-file, .diff-lines, .scroll, pre { overflow: visible; }
  table.split { min-width: 0; }
  .diff-file summary { position: static; }
  pre, .source .line { white-space: pre-wrap; overflow-wrap: anywhere; width: auto; }
  h2, h3, .panel > header { break-after: avoid; }
}
`;
