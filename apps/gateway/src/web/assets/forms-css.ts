/** Styles of fields and buttons. */
export const formsCss = `
label { display: block; font-weight: 600; }
input, select, textarea {
  font: inherit;
  color: inherit;
  background: var(--bg-raised);
  border: 1px solid var(--text-soft);
  border-radius: var(--radius);
  padding: 0.4rem 0.6rem;
  max-width: 100%;
}
input[type="checkbox"], input[type="radio"] { width: 1.1rem; height: 1.1rem; margin: 0 0.4rem 0 0; vertical-align: -0.15rem; accent-color: var(--accent); }
.stacked { display: grid; gap: 1rem; max-width: 34rem; }
.stacked label > input:not([type="checkbox"], [type="radio"]), .stacked label > select, .stacked label > textarea { display: block; width: 100%; margin-top: 0.25rem; font-weight: 400; }
.stacked fieldset { border: 1px solid var(--line); border-radius: var(--radius); padding: 0.75rem 1rem; display: grid; gap: 0.5rem; }
.hint { display: block; margin-top: 0.2rem; font-weight: 400; font-size: 0.85rem; color: var(--text-soft); }
.inline { display: flex; flex-wrap: wrap; align-items: end; gap: 0.75rem; margin: 0 0 1rem; }
.inline > label { min-width: 0; max-width: 100%; }
.inline label > input, .inline label > select { display: block; margin-top: 0.2rem; font-weight: 400; min-height: 2.5rem; }
.inline input[type="search"] { width: 100%; min-width: 14rem; }
.inline > button { min-height: 2.5rem; }
.inline > a { padding: 0.5rem 0; }
button, .button {
  display: inline-block;
  justify-self: start;
  font: inherit;
  font-weight: 600;
  cursor: pointer;
  color: var(--accent-text);
  background: var(--accent);
  border: 1px solid var(--accent);
  border-radius: var(--radius);
  padding: 0.4rem 0.9rem;
  text-decoration: none;
}
button:hover, .button:hover { filter: brightness(1.08); }
button.plain, .button.plain { color: var(--text); background: var(--bg-raised); border-color: var(--text-soft); }
button.danger { color: var(--bad); background: var(--bg-raised); border-color: var(--bad); }
button.link { color: var(--accent); background: none; border: 0; padding: 0; font-weight: 400; }
button.link:hover { text-decoration: underline; }
button.small { padding: 0.15rem 0.6rem; font-size: 0.85rem; }
details.confirmed > summary { display: inline-block; cursor: pointer; color: var(--bad); font-size: 0.85rem; padding: 0.15rem 0; }
details.confirmed > summary:hover { text-decoration: underline; }
details.confirmed > form { display: grid; gap: 0.6rem; margin: 0.4rem 0 0.3rem; padding-left: 0.9rem; border-left: 3px solid var(--bad); }
td form { margin: 0; display: inline-block; }
.notice, .error { padding: 0.6rem 1rem; border-radius: var(--radius); border: 1px solid; }
.notice { color: var(--good); background: var(--good-bg); border-color: var(--good); }
.error { color: var(--bad); background: var(--bad-bg); border-color: var(--bad); }
.warning { padding: 0.6rem 1rem; border-radius: var(--radius); border: 1px solid var(--warn); color: var(--warn); background: var(--warn-bg); }
`;
