import { maskSent } from '@trunkline/db';
import { sentArgs, type Method, type WorkerRequest } from '@trunkline/contracts';
import { boundArgs } from './bounded-entry.ts';

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
