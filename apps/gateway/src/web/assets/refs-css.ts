/** Styles of lists of references. */
export const refsCss = `
.ref-list { margin: 0 0 16px; border-top: 1px solid var(--line); }
.ref-list > li { display: grid; grid-template-columns: minmax(0, 1fr); gap: 0 16px; padding: 4px 0; border-bottom: 1px solid var(--line); line-height: 24px; }
.ref-list > li > div:empty { display: none; }
.ref-list .name { font-weight: 600; overflow-wrap: anywhere; }
.ref-list .name a, .ref-list .newest > a:first-child:not(.mono) { color: var(--text); text-decoration: none; }
.ref-list .name a:hover, .ref-list .newest > a:hover { text-decoration: underline; }
.ref-list .badge { font-weight: 400; }
.ref-list .about { min-width: 0; overflow-wrap: anywhere; }
.ref-list .mono { margin-left: 8px; }
.ref-list .counts, .ref-list .meta { font-size: 0.85rem; }
.ref-list summary { cursor: pointer; font-size: 0.85rem; color: var(--text-soft); }
@media (min-width: 60rem) {
  .ref-list > li { grid-template-columns: 16rem minmax(0, 1fr) 10rem 6rem; }
  .ref-list > li > div:empty { display: block; }
}
`;
