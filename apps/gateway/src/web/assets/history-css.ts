/** How much of the accent the shades of age have, in percent, the newest first; as many as `annotated-lines.ts` has. */
const strengths = [100, 80, 64, 50, 38, 26, 16, 8];

const mixed = (percent: number) => `color-mix(in srgb, var(--accent) ${percent}%, var(--bg))`;
const shades = strengths.map(
  (percent, index) =>
    `.shade-${index} { border-left-color: ${mixed(percent)}; } .shade-${index} > .origin { background: ${mixed(percent / 8)}; }`,
);

/** Styles of the history of a path, and of files with what has written their lines. */
export const historyCss = `
.path-history { list-style: none; margin: 0; padding: 0; }
.path-history > li { padding: 8px 0; border-bottom: 1px solid var(--line); overflow-wrap: anywhere; }
.path-history .subject { display: inline-block; min-width: var(--space-6); line-height: var(--space-6); color: var(--text); text-decoration: none; }
.path-history .subject:hover { text-decoration: underline; }
.path-history .meta { align-items: baseline; }
.path-history .meta > a.mono { color: var(--text-soft); }
.annotated { display: grid; grid-template-columns: minmax(0, 1fr); border-left: 4px solid; }
.annotated + .annotated { border-top: 1px solid var(--line); }
.origin { display: flex; flex-wrap: wrap; align-items: baseline; align-content: start; gap: 0 8px; padding: 0 8px; font-size: var(--size-small); line-height: var(--space-6); color: var(--text-soft); min-width: 0; }
.origin .subject { flex: 1 1 100%; color: var(--text); }
.origin .subject, .origin .author { min-width: 0; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; text-decoration: none; }
.origin .subject:hover, .origin .mono:hover { text-decoration: underline; }
.origin .author { flex: 0 1 auto; max-width: 12rem; }
.origin .mono { color: var(--text-soft); font-size: 0.75rem; text-decoration: none; }
.origin .before { width: var(--space-6); text-align: center; text-decoration: none; }
.annotated > .source { padding: 0; font-size: var(--size-code); line-height: var(--space-6); overflow: visible; }
.annotated .line { position: relative; width: auto; padding: 0 8px 0 64px; white-space: pre-wrap; overflow-wrap: anywhere; }
.annotated .line > a:first-child { position: absolute; inset: 0 auto 0 0; width: 56px; min-width: 0; margin: 0; padding-right: 8px; }
@media (min-width: 60rem) {
  .annotated { grid-template-columns: 30rem minmax(0, 1fr); }
  .annotated:not(.tall) > .origin { flex-wrap: nowrap; }
  .annotated:not(.tall) .subject { flex: 1 1 0; }
  .annotated:not(.tall) .author { max-width: 6rem; }
}
${shades.join('\n')}
`;
