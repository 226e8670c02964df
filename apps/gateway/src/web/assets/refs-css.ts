/** Styles of lists of references, and of the control that chooses one. */
export const refsCss = `
.ref-list { margin: 0 0 16px; border-top: 1px solid var(--line); }
.ref-list > li { display: grid; grid-template-columns: auto minmax(0, 1fr); gap: 0 16px; padding: 4px 0; border-bottom: 1px solid var(--line); line-height: 24px; }
.ref-list > li > .name, .ref-list > li > .about { grid-column: 1 / -1; }
.ref-list > li > div:empty { display: none; }
.ref-list .name { font-weight: 600; overflow-wrap: anywhere; }
.ref-list .name a, .ref-list .newest > a:first-child:not(.mono) { color: var(--text); text-decoration: none; }
.ref-list .name a:hover, .ref-list .newest > a:hover { text-decoration: underline; }
.ref-list .badge { font-weight: 400; }
.ref-list .about { min-width: 0; overflow-wrap: anywhere; }
.ref-list .counts, .ref-list .meta { font-size: 0.85rem; }
.ref-list summary { cursor: pointer; font-size: 0.85rem; color: var(--text-soft); }
@media (min-width: 60rem) {
  .ref-list > li { grid-template-columns: 16rem minmax(0, 1fr) 10rem 6rem; }
  .ref-list > li > .name, .ref-list > li > .about { grid-column: auto; }
  .ref-list > li > div:empty { display: block; }
}
.ref-picker { position: relative; }
.ref-picker > summary { display: inline-block; max-width: min(20rem, 100%); min-height: 32px; line-height: 24px; padding: 3px 12px; border: 1px solid var(--line); border-radius: var(--radius); background: var(--bg-soft); cursor: pointer; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
.ref-picker > summary::after { content: "\\25be"; margin-left: 8px; color: var(--text-soft); }
.ref-picker > .choices { position: absolute; z-index: 3; left: 0; margin-top: 4px; padding: 12px; width: min(24rem, calc(100vw - 32px)); max-height: 28rem; overflow: auto; background: var(--bg-raised); border: 1px solid var(--line); border-radius: var(--radius); }
.ref-picker form { display: flex; flex-wrap: wrap; gap: 4px 8px; margin: 0 0 8px; }
.ref-picker label { flex: 1 0 100%; }
.ref-picker input { flex: 1 1 8rem; min-width: 0; }
.ref-picker details { margin: 4px 0; }
.ref-picker details > summary { cursor: pointer; line-height: 32px; font-weight: 600; }
.ref-picker li { line-height: 32px; overflow-wrap: anywhere; }
.ref-picker a[aria-current] { font-weight: 600; }
`;
