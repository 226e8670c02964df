import { maskSent } from '@trunkline/db';
import { type Method, sentArgs, type WorkerRequest } from '@trunkline/contracts';

/**
 * An entry takes at most 4 KB as stored, since refused calls are recorded, too: these bytes, at most 765 of the username,
 * and about 330 of the other columns and of what jsonb adds.
 */
export const argsBytesMax = 1_664;
export const errorBytesMax = 1_280;

const mark = '…';

/** The longest values of an entry whose arguments are large; 255 characters are the longest valid name. */
const charsSteps = [1_000, 500, 255, 120, 60, 20, 5];

/** Cuts a text to a number of characters. */
export function cutToChars(text: string, charsMax: number): string {
  if (text.length <= charsMax) return text;
  // Postgres refuses half a surrogate pair, since it is not valid Unicode.
  return `${text.slice(0, charsMax).replace(/[\ud800-\udbff]$/, '')}${mark}`;
}

type Args = Readonly<Record<string, unknown>>;

/** Cuts long texts among the arguments, the longest first, until the arguments fit into an entry. */
export function boundArgs(args: Args): Args {
  let bounded = args;
  for (const charsMax of charsSteps) {
    const entries = Object.entries(args).map(([name, value]) => [
      name,
      typeof value === 'string' ? cutToChars(value, charsMax) : value,
    ]);
    bounded = Object.fromEntries(entries);
    if (Buffer.byteLength(JSON.stringify(bounded)) <= argsBytesMax) break;
  }
  return bounded;
}

/** Cuts an error text so that it fits into an entry. */
export function boundError(text: string): string {
  const bytes = Buffer.from(text);
  if (bytes.length <= errorBytesMax) return text;
  let end = errorBytesMax - Buffer.byteLength(mark);
  // A byte 10xxxxxx continues a character.
  while ((bytes[end] ?? 0) >> 6 === 0b10) end -= 1;
  return `${bytes.toString('utf8', 0, end)}${mark}`;
}

/** Entry of a call in the audit log, without its outcome. */
export interface AuditedCall {
  readonly requestId: string;
  readonly userId: number;
  readonly ip: string;
  readonly method: string;
  readonly args: Readonly<Record<string, unknown>>;
  /**
   * Whether the call has committed its record. An entry that exists before that was left by an earlier run of the same
   * command.
   */
  recorded: boolean;
}

const hidden = '*****';

function shown(secret: 'whole' | 'login' | undefined, value: unknown): unknown {
  if (secret === undefined || value === null) return value;
  return secret === 'login' && typeof value === 'string' ? maskSent(value) : hidden;
}

/** Returns a call's entry. Its arguments are those that the method knows, as sent, but without their secrets, and cut. */
export function auditedCall(
  method: Method,
  { requestId, caller, args }: Pick<WorkerRequest, 'requestId' | 'caller' | 'args'>,
): AuditedCall {
  const sent = Object.entries(sentArgs(method.args, args));
  return {
    requestId,
    userId: caller.userId,
    ip: caller.ip,
    method: method.worksFor ?? method.name,
    recorded: false,
    args: boundArgs(Object.fromEntries(sent.map(([name, value]) => [name, shown(method.args[name]?.secret, value)]))),
  };
}
