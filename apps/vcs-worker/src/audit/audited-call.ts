import { sentArgs, type Method, type WorkerRequest } from '@trunkline/contracts';
import { maskSent } from '../vcs/remote/mask-credentials.ts';

/** What the audit log says of a call, whatever becomes of it. */
export interface AuditedCall {
  readonly requestId: string;
  readonly userId: number;
  readonly ip: string;
  readonly method: string;
  readonly args: Readonly<Record<string, unknown>>;
  /** Whether it has committed something: a record that is there before then is that of the command played before. */
  recorded: boolean;
}

const hidden = '*****';
const charsMax = 1_000;

/** Who fills the log with refused calls is not to fill it fast. */
function cut(text: string): string {
  if (text.length <= charsMax) return text;
  // Half a pair would be no Unicode, which Postgres refuses.
  return `${text.slice(0, charsMax).replace(/[\ud800-\udbff]$/, '')}…`;
}

function shown(secret: 'whole' | 'login' | undefined, value: unknown): unknown {
  if (secret === undefined || value === null) return typeof value === 'string' ? cut(value) : value;
  return secret === 'login' && typeof value === 'string' ? cut(maskSent(value)) : hidden;
}

/** Arguments as they were sent, those that the operation knows, without their secrets. */
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
