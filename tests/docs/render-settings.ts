import type { Settings } from '@trunkline/runtime';

/** Renders a table of environment variables for operators. */
export function renderSettings(settings: Settings): string {
  const rows = Object.entries(settings).map(([name, { default: fallback, description }]) => {
    const shown = fallback === null ? 'must be set' : fallback === '' ? 'empty' : `\`${fallback}\``;
    return `| \`${name}\` | ${shown} | ${description.replaceAll('|', '\\|')} |`;
  });
  return ['| variable | default | meaning |', '|---|---|---|', ...rows].join('\n');
}

/** Returns the settings of `own` that are the same in `others`, or those that are not. */
export function settingsOf(own: Settings, others: Settings, shared: boolean): Settings {
  const isShared = (name: string) => JSON.stringify(own[name]) === JSON.stringify(others[name]);
  return Object.fromEntries(Object.entries(own).filter(([name]) => isShared(name) === shared));
}

/** Renders `.env.example`: every variable once, commented out, with its default. */
export function renderExample(all: readonly Settings[]): string {
  const merged = Object.entries(Object.assign({}, ...all.toReversed()) as Settings);
  const lines = merged
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, { default: fallback, description }]) => `# ${description}\n#${name}=${fallback ?? ''}\n`);
  return lines.join('\n');
}
