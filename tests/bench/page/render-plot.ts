import type { Figure, Run } from './figures.ts';
import { renderPanel, panelHeight, type Bar, type Panel } from './render-panel.ts';

const width = 860;
const headHeight = 56;

/** Colours of the light and of the dark scheme, by class; the background is drawn, so that text is readable on it. */
const colours = {
  light: ['#ffffff', '#1f2328', '#d0d7de', '#0969da', '#bc4c00', '#1a7f37', '#8250df', '#6e7781'],
  dark: ['#0d1117', '#e6edf3', '#30363d', '#58a6ff', '#f0883e', '#3fb950', '#bc8cff', '#8b949e'],
};
const series = ['gateway', 'worker', 'bus', 'database', 'echo'] as const;

function rulesOf([back, text, grid, ...fills]: readonly string[]): string {
  const bars = series.map((name, index) => `.${name}{fill:${fills[index]}}`).join('');
  return `.back{fill:${back}}text{fill:${text}}.grid{stroke:${grid}}${bars}`;
}

const valueOf = (figure: Figure | undefined) => (typeof figure === 'object' ? figure.median : (figure ?? 0));

/** Returns the bars of each test whose lines have the CPU time of each part. */
function panelsOf(runs: readonly Run[]): Panel[] {
  const panels = new Map<string, Bar[]>();
  for (const { test, what, figures } of runs.flatMap(({ lines }) => lines)) {
    if (figures['gateway ms'] === undefined || figures['echo ms'] === undefined) continue;
    const bar = {
      label: what,
      parts: series.slice(0, 4).map((name) => ({ name, value: valueOf(figures[`${name} ms`]) })),
      echo: valueOf(figures['echo ms']),
    };
    panels.set(test, [...(panels.get(test) ?? []), bar]);
  }
  return [...panels].map(([title, bars]) => ({ title, bars }));
}

function legend(): string {
  return series
    .map((name, index) => {
      const x = 16 + index * 120;
      const label = name === 'echo' ? 'echo, all parts' : name;
      return `<rect class="${name}" x="${x}" y="34" width="12" height="12"/><text x="${x + 18}" y="44">${label}</text>`;
    })
    .join('\n');
}

/** Renders docs/performance.svg: bars of CPU milliseconds for one call, stacked by part, above that of the echo. */
export function renderPlot(runs: readonly Run[]): string {
  const panels = panelsOf(runs);
  let height = headHeight;
  const sampled = panels.map((panel) => {
    const text = renderPanel(panel, width, height);
    height += panelHeight(panel);
    return text;
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" role="img" aria-labelledby="title">
<title id="title">CPU milliseconds of each part for one call</title>
<style>text{font:13px sans-serif}.heading{font-weight:bold}.end{text-anchor:end}.middle{text-anchor:middle}
${rulesOf(colours.light)}
@media (prefers-color-scheme:dark){${rulesOf(colours.dark)}}</style>
<rect class="back" width="${width}" height="${height}"/>
<text class="heading" x="16" y="22">CPU time of each part for one call</text>
${[legend(), ...sampled].join('\n')}
</svg>
`;
}
