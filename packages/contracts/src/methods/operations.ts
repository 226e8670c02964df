import * as v from 'valibot';
import { timestamp } from '../records/parts.ts';
import { optional, required, withValues } from '../args/arg.ts';
import { entityRef, text, wholeNumber } from '../args/schemas.ts';
import { historyLimit } from '../args/shared-args.ts';
import { defineMethod } from '../method.ts';

/** What a pull of git has made of the branches and tags of the repository. */
export const PulledRecord = v.strictObject({
  branches_added: v.number(),
  branches_moved: v.number(),
  branches_removed: v.number(),
  tags_added: v.number(),
  tags_removed: v.number(),
  /** Tags that name something else on the remote, which were left as they are. */
  tags_kept: v.number(),
  /** New names that cannot be beside one which the remote no longer has, such as `a/b` beside `a`. */
  left_out: v.number(),
});
export type PulledRecord = v.InferOutput<typeof PulledRecord>;

/** State of an operation; for a call that began no operation, its outcome in the audit log. */
export const OperationRecord = v.strictObject({
  operation_id: v.string(),
  /** `adopt`, `create`, `import`, `fork`, `pull`, `push`, `delete`, `move`, `default_branch`, `maintain`, `restore`, `replace` or `verify`; for a call that began no operation, the method's name. */
  kind: v.string(),
  repo_id: v.nullable(v.number()),
  repo_name: v.nullable(v.string()),
  /** Name of the storage to which a move or a fork copies the repository; null for other operations. */
  target_storage: v.nullable(v.string()),
  state: v.picklist(['running', 'done', 'failed']),
  attempt: v.number(),
  /** Progress while the operation runs, as far as git or hg reports any; each phase counts from 0. */
  progress: v.nullable(
    v.strictObject({
      phase: v.string(),
      done: v.number(),
      total: v.nullable(v.number()),
      unit: v.optional(v.string()),
    }),
  ),
  error: v.nullable(v.string()),
  /** Absent but for a pull of git that has succeeded. */
  pulled: v.optional(PulledRecord),
  /** Of a deleted user the last name, as long as the audit log has it; null for what the service does by itself. */
  user: v.nullable(v.string()),
  created_on: timestamp,
  finished_on: v.nullable(timestamp),
});
export type OperationRecord = v.InferOutput<typeof OperationRecord>;

const anyCaller = { caller: 'any' } as const;
const operationId = required(
  v.nullable(text(255)),
  'Id of an operation of the caller; administrators may name any operation',
);

export const getOperation = defineMethod({
  name: 'get_operation',
  summary: 'Returns the state of an operation, such as a `task` or a call whose outcome was not known.',
  permission: anyCaller,
  lane: 'metadata',
  access: 'read',
  args: { operation_id: operationId },
  result: OperationRecord,
});

export const waitOperation = defineMethod({
  name: 'wait_operation',
  summary: 'Like get_operation, but waits until the operation has ended or the time limit has passed.',
  permission: anyCaller,
  lane: 'storage',
  access: 'read',
  args: {
    operation_id: operationId,
    timeout: optional(wholeNumber(0, 25), 25, 'Maximum seconds to wait'),
  },
  result: OperationRecord,
});

export const listOperations = defineMethod({
  name: 'list_operations',
  summary:
    'Lists the operations of the caller, and calls that failed before an operation began, newest first; administrators see those of all users.',
  permission: anyCaller,
  lane: 'metadata',
  access: 'read',
  args: {
    state: withValues(optional(text(20), null, '`running`, `done` or `failed`', 'any'), ['running', 'done', 'failed']),
    userid: optional(
      entityRef,
      null,
      'Username or user id; users other than administrators may name only themselves',
      'everybody',
    ),
    limit: historyLimit,
    cursor: optional(text(255), null, 'Only entries after the one with this `operation_id`'),
  },
  result: v.array(OperationRecord),
});

export const cancelOperation = defineMethod({
  name: 'cancel_operation',
  summary:
    'Cancels a running operation of the caller and undoes its changes; wait_operation returns when it has ended. Deletions and ended operations cannot be cancelled, but administrators can end every operation without a worker of a storage that is offline or lost.',
  permission: anyCaller,
  lane: 'metadata',
  access: 'write',
  args: { operation_id: operationId },
  result: v.strictObject({ success: v.boolean(), msg: v.string() }),
});

/** View that gateways call when the worker of a call has died and another worker has ended the call's operation. */
export const viewOperationResult = defineMethod({
  name: 'view_operation_result',
  summary: 'Returns the result of a call of the caller after its operation has ended; null until then.',
  permission: { caller: 'any' },
  lane: 'metadata',
  access: 'read',
  args: { operation_id: required(text(255), 'Id of an operation of the caller') },
  result: v.unknown(),
});
