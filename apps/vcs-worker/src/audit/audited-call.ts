import { sentArgs, type Method, type WorkerRequest } from '@trunkline/contracts';
import { maskSent } from '../vcs/remote/mask-credentials.ts';

/** The entry of a call in the audit log, without its outcome. */
export interface AuditedCall {
  readonly requestId: string;
  readonly userId: number;
  readonly ip: string;
  readonly method: string;
  readonly args: Readonly<Record<string, unknown>>;
  /**
   * Whether the call has committed its record; an entry that exists before then belongs to the same command, run
   * before.
   */
  recorded: boolean;
}

const hidden = '*****';
const charsMax = 1_000;

/** Bounds the bytes of one entry, since refused calls are recorded, too. */
function cut(text: string): string {
  if (text.length <= charsMax) return text;
  // Half a surrogate pair is not valid Unicode, which Postgres refuses.
  return `${text.slice(0, charsMax).replace(/[\ud800-\udbff]$/, '')}…`;
}

function shown(secret: 'whole' | 'login' | undefined, value: unknown): unknown {
  if (secret === undefined || value === null) return typeof value === 'string' ? cut(value) : value;
  return secret === 'login' && typeof value === 'string' ? cut(maskSent(value)) : hidden;
}

/** The arguments as sent that the method knows, without their secrets. */
export function auditedCall(method: Method, { requestId, caller, args }: WorkerRequest): AuditedCall {
  const sent = Object.entries(sentArgs(method.args, args));
  return {
    requestId,
    userId: caller.userId,
    ip: caller.ip,
    method: method.name,
    recorded: false,
    args: Object.fromEntries(sent.map(([name, value]) => [name, shown(method.args[name]?.secret, value)])),
  };
}
