/** Progress of a tool, in Trunkline's words for its phases. */
export interface Progress {
  readonly phase: string;
  readonly done: number;
  /** Null when the tool does not know. */
  readonly total: number | null;
  readonly unit?: string;
}

export type Report = (progress: Progress) => void;

/** Parses a whole line about progress; returns null for any other line. */
export type ParseProgress = (line: string) => Progress | null;

const lineCharsMax = 200;

/** Makes progress of printed numbers. A remote may announce a wrong total: one below `done` counts as unknown. */
export function toProgress(phase: string, unit: string, done: string, total: string | undefined): Progress {
  const sum = Number(total ?? Number.NaN);
  return { phase, done: Number(done), total: sum >= Number(done) ? sum : null, unit };
}

/** Returns a function that takes a tool's output, cut anywhere, and reports the newest progress in each piece. */
export function progressReader(parse: ParseProgress, report: Report): (text: string) => void {
  let begun = '';
  return (text) => {
    const lines = (begun + text).split(/[\r\n]/);
    // One character over the limit is kept, so that a line that is too long stays too long when it is completed.
    begun = lines.at(-1)?.slice(0, lineCharsMax + 1) ?? '';
    for (const line of lines.toReversed()) {
      const progress = line.length > lineCharsMax ? null : parse(line);
      if (progress) return report(progress);
    }
  };
}

/** Returns a tool's output without its progress: lines that end in a carriage return, which later lines overwrite. */
export function withoutProgress(text: string): string {
  return text.replaceAll(/(?<![^\r\n])[^\r\n]*\r(?!\n)/g, '');
}
