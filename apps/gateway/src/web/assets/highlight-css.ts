const light = `
  --code-bg: #ffffff;
  --code-fg: #1c2128;
  --code-comment: #56606b;
  --code-keyword: #a81e54;
  --code-string: #1a5d2e;
  --code-number: #8a3b00;
  --code-title: #5a32a3;
  --code-type: #0b5394;
  --code-attribute: #6b4d00;
  --diff-added-bg: #e3f7e6;
  --diff-added-mark: #b4e8bd;
  --diff-removed-bg: #fdeaea;
  --diff-removed-mark: #f9c6c6;
  --diff-hunk-bg: #eef3fa;
  --diff-hunk-fg: #47525e;
  --colour-0: #0b5fc0;
  --colour-1: #c2303a;
  --colour-2: #1a7f37;
  --colour-3: #8a4fd0;
  --colour-4: #a85300;
  --colour-5: #0a7680;
  --colour-6: #b5298f;
  --colour-7: #5b6570;
`;

const dark = `
  --code-bg: #0f1419;
  --code-fg: #dce3ea;
  --code-comment: #98a4b0;
  --code-keyword: #ff8fb0;
  --code-string: #8fd19e;
  --code-number: #f0b178;
  --code-title: #c6a9ff;
  --code-type: #7cc0ff;
  --code-attribute: #e3c877;
  --diff-added-bg: #12301c;
  --diff-added-mark: #1d5730;
  --diff-removed-bg: #3a1619;
  --diff-removed-mark: #6a2329;
  --diff-hunk-bg: #18222e;
  --diff-hunk-fg: #9fb0c2;
  --colour-0: #6cb0ff;
  --colour-1: #ff8a8a;
  --colour-2: #63d07c;
  --colour-3: #c19bff;
  --colour-4: #f2a65a;
  --colour-5: #4fc8d0;
  --colour-6: #f58fd3;
  --colour-7: #9aa6b2;
`;

/** Classes of highlight.js by their colours; other classes inherit the colour of the text. */
const classesByColour = {
  comment: ['comment', 'quote', 'meta'],
  keyword: ['keyword', 'literal', 'selector-tag', 'template-tag', 'operator', 'doctag', 'name', 'deletion'],
  string: ['string', 'regexp', 'addition', 'char', 'link', 'code', 'formula'],
  number: ['number', 'symbol', 'bullet', 'selector-attr', 'selector-pseudo'],
  title: ['title', 'section', 'selector-id', 'selector-class'],
  type: ['type', 'built_in', 'class', 'title.class_'],
  attribute: ['attr', 'attribute', 'property', 'variable', 'template-variable'],
} as const;

const highlighting = Object.entries(classesByColour)
  .map(([colour, names]) => `${names.map((name) => `.hljs-${name}`).join(', ')} { color: var(--code-${colour}); }`)
  .join('\n');

/** The classes of the graph's colours, as many as `graph.tsx` uses. */
const colours = Array.from(
  { length: 8 },
  (_, index) => `.graph-${index} { stroke: var(--colour-${index}); fill: var(--colour-${index}); }`,
).join('\n');

/** Colours of sources, diffs and the graph, light and dark. No two things differ in their colours alone. */
export const highlightCss = `
:root {${light}}
@media screen and (prefers-color-scheme: dark) {
:root {${dark}}
}
.code { background: var(--code-bg); color: var(--code-fg); }
${highlighting}
.hljs-emphasis { font-style: italic; }
.hljs-strong { font-weight: bold; }
.diff-added { background: var(--diff-added-bg); color: var(--code-fg); }
.diff-removed { background: var(--diff-removed-bg); color: var(--code-fg); }
.diff-added mark { background: var(--diff-added-mark); color: inherit; }
.diff-removed mark { background: var(--diff-removed-mark); color: inherit; }
.diff-hunk { background: var(--diff-hunk-bg); color: var(--diff-hunk-fg); }
.align-left { text-align: left; }
.align-center { text-align: center; }
.align-right { text-align: right; }
.graph line { stroke-width: 2; }
${colours}
`;
