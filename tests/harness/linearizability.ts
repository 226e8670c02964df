/** One atomic step of a call: returns the states that the step may lead to, none when the step is impossible. */
export type Step<S> = (state: S) => readonly S[];

/** A call as its client observed it. */
export interface HistoryEvent<S> {
  /** Label, unique in the history. */
  readonly label: string;
  readonly invoked: number;
  /** Time of the answer; null when the outcome is not known: the call may take effect at any later time, or never. */
  readonly responded: number | null;
  /** Steps of the call, in this order, between `invoked` and `responded`. */
  readonly steps: readonly Step<S>[];
}

interface OpenEvent<S> {
  readonly event: HistoryEvent<S>;
  readonly done: number;
}

/** A possible state, and the calls that may still take effect in it. */
export interface Possibility<S> {
  readonly state: S;
  readonly open: readonly OpenEvent<S>[];
}

const searchMax = 2_000_000;

/**
 * Returns the possible states after a round of overlapping calls (Wing and Gong): tries every order in which no call
 * acts before it was invoked or after it was answered, each pair of done steps and state once. Empty when no order
 * explains the answers. States are compared as JSON.
 */
export function possibilitiesAfter<S>(
  before: readonly Possibility<S>[],
  round: readonly HistoryEvent<S>[],
): Possibility<S>[] {
  const found = new Map<string, Possibility<S>>();
  for (const start of before) {
    const all = [...start.open, ...round.map((event) => ({ event, done: 0 }))];
    for (const one of search(start.state, all)) {
      found.set(JSON.stringify([one.state, one.open.map(({ event, done }) => [event.label, done])]), one);
    }
  }
  return [...found.values()];
}

function isUndone<S>({ event, done }: OpenEvent<S>): boolean {
  return done < event.steps.length;
}

/** Returns the latest time of the next step: the first answer of a call that is not done. */
function nextAnswer<S>(undone: readonly OpenEvent<S>[]): number {
  return undone.reduce((least, { event }) => Math.min(least, event.responded ?? Infinity), Infinity);
}

function* search<S>(state: S, events: readonly OpenEvent<S>[]): Generator<Possibility<S>> {
  const seen = new Set<string>();
  const stack = [{ state, events }];
  for (let node = stack.pop(); node; node = stack.pop()) {
    const key = JSON.stringify([node.state, node.events.map(({ done }) => done)]);
    if (seen.has(key)) continue;
    seen.add(key);
    if (seen.size > searchMax) throw new Error('the history has too many orders to look at');
    const undone = node.events.filter(isUndone);
    const until = nextAnswer(undone);
    if (until === Infinity) {
      // Calls without an answer may just as well take effect at the beginning of the next round.
      yield { state: node.state, open: undone };
      continue;
    }
    for (const one of undone) {
      if (one.event.invoked > until) continue;
      const stepped = node.events.map((other) => (other === one ? { event: one.event, done: one.done + 1 } : other));
      for (const next of one.event.steps[one.done]?.(node.state) ?? []) stack.push({ state: next, events: stepped });
    }
  }
}
