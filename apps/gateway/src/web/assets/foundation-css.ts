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
  --size-small: 0.8125rem;
  --size-code: 0.8125rem;
  --size-base: 0.9375rem;
  --size-title: 1.0625rem;
  --size-page: 1.375rem;
  --mono: ui-monospace, SFMono-Regular, Menlo, Consolas, "Liberation Mono", "DejaVu Sans Mono", monospace;
}
@media (prefers-color-scheme: dark) {
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
  font: 0.95rem/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", "Liberation Sans", "DejaVu Sans", sans-serif;
}
h1 { font-size: 1.5rem; line-height: 1.25; margin: 0 0 1rem; }
h2 { font-size: 1.15rem; line-height: 1.3; margin: 2rem 0 0.75rem; }
h3 { font-size: 1rem; margin: 1.5rem 0 0.5rem; }
h1, h2, h3, p, li, dd, td { overflow-wrap: anywhere; }
p { margin: 0 0 1rem; }
a { color: var(--accent); text-decoration-thickness: 1px; text-underline-offset: 2px; }
a:hover { text-decoration-thickness: 2px; }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; border-radius: 3px; }
code, pre, .mono { font-family: var(--mono); font-size: 0.86rem; }
pre { overflow-x: auto; margin: 0; }
hr { border: 0; border-top: 1px solid var(--line); margin: 2rem 0; }
.skip { position: absolute; left: -100rem; top: 0; padding: 0.5rem 1rem; background: var(--accent); color: var(--accent-text); }
.skip:focus { left: 0; z-index: 2; }
.site {
  display: flex;
  flex-wrap: wrap;
  align-items: center;
  gap: 0.25rem 1.5rem;
  padding: 0.6rem max(1rem, calc((100vw - 75rem) / 2 + 1rem));
  background: var(--bg-soft);
  border-bottom: 1px solid var(--line);
}
.site a { text-decoration: none; }
.site a:hover { text-decoration: underline; }
.site .brand { color: var(--text); font-weight: 700; font-size: 1.1rem; }
.site nav, .site .account { display: flex; flex-wrap: wrap; align-items: center; gap: 0.25rem 1.25rem; }
.site .account { margin-left: auto; }
.site form { margin: 0; }
.site a[aria-current] { color: var(--text); font-weight: 600; }
main { max-width: 75rem; margin: 0 auto; padding: 1.5rem 1rem 4rem; }
.narrow { max-width: 28rem; margin: 2rem auto; }
.soft { color: var(--text-soft); }
.small { font-size: 0.85rem; }
.nowrap { white-space: nowrap; }
.visually-hidden {
  position: absolute; width: 1px; height: 1px; margin: -1px; padding: 0; overflow: hidden; clip-path: inset(50%); white-space: nowrap;
}
@media print { .site nav, .site .account, .tabs, form { display: none; } }
`;
