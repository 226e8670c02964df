import { atShare } from '../median.ts';
import type { Figures } from '../page/figures.ts';

/** What users have noticed. */
export interface Noticed {
  /** Milliseconds of the requests that were served, by kind. */
  readonly times: ReadonlyMap<string, number[]>;
  /** Number of the others by what was answered. */
  readonly failures: Map<string, number>;
}

export function noticedNothing(kinds: readonly string[]): Noticed {
  return { times: new Map(kinds.map((kind) => [kind, []])), failures: new Map() };
}

/** Sends a request of a kind, which gives null or why it was not served, and notes its time; returns whether it was. */
export async function notice(
  { times, failures }: Noticed,
  { kind, what }: { readonly kind: string; readonly what: string },
  send: () => Promise<string | null>,
): Promise<boolean> {
  const started = performance.now();
  const failure = await send().catch((error: unknown) => String(error));
  if (failure === null) times.get(kind)?.push(performance.now() - started);
  else {
    // The ids of operations differ.
    const told = `${what}: ${failure.replace(/[0-9a-f-]{36}/, '…')}`;
    failures.set(told, (failures.get(told) ?? 0) + 1);
  }
  return failure === null;
}

/** Returns the figures of all kinds at one share of their times, such as 0.99, under a name of each kind. */
export function figuresAt(noticed: Noticed, share: number, nameOf: (kind: string) => string): Figures {
  return Object.fromEntries([...noticed.times].map(([kind, times]) => [nameOf(kind), atShare(times, share)]));
}

/** Returns how many times as long the requests of each kind took beside something as they took alone. */
export function ratiosAt(alone: Noticed, beside: Noticed, share: number, nameOf: (kind: string) => string): Figures {
  const ratioOf = (kind: string, times: readonly number[]) =>
    atShare(times, share) / atShare(alone.times.get(kind) ?? [], share);
  return Object.fromEntries([...beside.times].map(([kind, times]) => [nameOf(kind), ratioOf(kind, times)]));
}
