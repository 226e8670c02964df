/** How far a tool is, in words and numbers of ours. */
export interface Progress {
  readonly phase: string;
  readonly done: number;
  /** Null when the tool does not know. */
  readonly total: number | null;
  readonly unit?: string;
}

export type Report = (progress: Progress) => void;

/** A whole line about progress; null for everything else. */
export type ParseProgress = (line: string) => Progress | null;

const lineCharsMax = 200;

/** Of numbers as a tool prints them. Some of what it counts the remote has announced, which may be wrong. */
export function toProgress(phase: string, unit: string, done: string, total: string | undefined): Progress {
  const sum = Number(total ?? Number.NaN);
  return { phase, done: Number(done), total: sum >= Number(done) ? sum : null, unit };
}

/** Takes what a tool says, cut anywhere, and reports the newest progress in it. */
export function progressReader(parse: ParseProgress, report: Report): (text: string) => void {
  let begun = '';
  return (text) => {
    const lines = (begun + text).split(/[\r\n]/);
    begun = lines.at(-1)?.slice(0, lineCharsMax + 1) ?? '';
    for (const line of lines.toReversed()) {
      const progress = line.length > lineCharsMax ? null : parse(line);
      if (progress) return report(progress);
    }
  };
}

/** What a tool said beside its progress: lines that others overwrote. */
export function withoutProgress(text: string): string {
  return text.replaceAll(/(?<![^\r\n])[^\r\n]*\r(?!\n)/g, '');
}
