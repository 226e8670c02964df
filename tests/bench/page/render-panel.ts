export interface Bar {
  readonly label: string;
  readonly parts: readonly { readonly name: string; readonly value: number }[];
  /** All parts of the echo. */
  readonly echo: number;
}

/** Bars with one scale. */
export interface Panel {
  readonly title: string;
  readonly bars: readonly Bar[];
}

const barHeight = 34;
const [titleHeight, axisHeight] = [30, 44];
const [left, right] = [240, 70];

export const panelHeight = ({ bars }: Panel): number => titleHeight + bars.length * barHeight + axisHeight;

const escape = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
const round = (value: number) => Math.round(value * 10) / 10;
const totalOf = ({ parts }: Bar) => parts.reduce((sum, { value }) => sum + value, 0);

/** Returns the distance between ticks, 1, 2 or 5 times a power of ten, of which at most six reach `most`. */
export function tickStep(most: number): number {
  const power = 10 ** Math.floor(Math.log10(most / 6));
  return [1, 2, 5, 10].map((factor) => factor * power).find((step) => most / step <= 6) ?? most;
}

function renderBar(bar: Bar, y: number, scale: (value: number) => number): string {
  let from = 0;
  const rects = bar.parts.map(({ name, value }) => {
    const [x, end] = [scale(from), scale((from += value))];
    return `<rect class="${name}" x="${round(x)}" y="${y}" width="${round(end - x)}" height="16"/>`;
  });
  const echo = `<rect class="echo" x="${left}" y="${y + 17}" width="${round(scale(bar.echo) - left)}" height="5"/>`;
  const label = `<text class="end" x="${left - 10}" y="${y + 15}">${escape(bar.label)}</text>`;
  const end = round(scale(Math.max(totalOf(bar), bar.echo)) + 8);
  const total = `<text x="${end}" y="${y + 13}">${Number(totalOf(bar).toPrecision(3))}</text>`;
  return [label, ...rects, echo, total].join('\n');
}

/** Renders a panel whose upper edge is at `top`. */
export function renderPanel(panel: Panel, width: number, top: number): string {
  const { title, bars } = panel;
  const most = Math.max(...bars.map((bar) => Math.max(totalOf(bar), bar.echo)));
  const step = tickStep(most);
  const scale = (value: number) => left + (value / most) * (width - left - right);
  const [first, last] = [top + titleHeight, top + titleHeight + bars.length * barHeight];
  const ticks = Array.from({ length: Math.floor(most / step + 1e-9) + 1 }, (_, index) => {
    const [x, shown] = [round(scale(index * step)), Number((index * step).toPrecision(3))];
    return `<line class="grid" x1="${x}" x2="${x}" y1="${first}" y2="${last}"/>
<text class="middle" x="${x}" y="${last + 16}">${shown}</text>`;
  });
  return [
    `<text class="heading" x="16" y="${top + 20}">${escape(title)}</text>`,
    ...ticks,
    ...bars.map((bar, index) => renderBar(bar, first + 6 + index * barHeight, scale)),
    `<text class="middle" x="${(left + width - right) / 2}" y="${last + 34}">CPU milliseconds for one call</text>`,
  ].join('\n');
}
