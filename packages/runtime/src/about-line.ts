import * as v from 'valibot';

/** Characters of what a line is about. */
const aboutMax = 200;

/** When a line was logged, and what it is about. */
export interface LoggedAbout {
  readonly at: string;
  readonly about: string;
}

/** Names of methods, classes and codes: everything else in a line may quote what users or servers sent. */
const Word = v.fallback(v.optional(v.pipe(v.string(), v.regex(/^[\w:.-]{1,64}$/))), undefined);
const Line = v.object({
  time: v.pipe(v.string(), v.isoTimestamp()),
  msg: v.fallback(v.pipe(v.string(), v.maxLength(80)), ''),
  method: Word,
  view: Word,
  kind: Word,
  requestId: Word,
  err: v.fallback(v.optional(v.record(v.string(), v.unknown())), undefined),
});

const Named = v.object({ type: Word, code: Word });

/** Returns class and code of the root cause of a logged error. */
function rootOf(error: unknown) {
  let root = error;
  while (v.is(v.object({ cause: v.record(v.string(), v.unknown()) }), root)) root = root.cause;
  const named = v.safeParse(Named, root);
  return named.success ? named.output : {};
}

/** Returns what a line of the log is about, without the message of its error. */
export function aboutLine(line: string): LoggedAbout | null {
  try {
    const { time, msg, method, view, kind, requestId, err } = v.parse(Line, JSON.parse(line));
    const { type, code } = rootOf(err);
    const words = [msg, method ?? view ?? kind, type, code, requestId && `(${requestId})`];
    const about = words.filter((word) => word !== undefined && word !== '').join(' ');
    return { at: time, about: about.slice(0, aboutMax) };
  } catch {
    return null;
  }
}
