import * as v from 'valibot';
import { optional, required } from '../args/arg.ts';
import { entityRef } from '../args/entity-ref.ts';
import { limit } from '../args/page.ts';
import { text } from '../args/text.ts';
import { wholeNumber } from '../args/whole-number.ts';
import { defineMethod } from '../method.ts';
import { OperationRecord } from '../records/operation.ts';

const own = { caller: 'any' } as const;
const operationId = required(v.nullable(text(255)), 'Id of an own operation; administrators may name any');

export const getOperation = defineMethod({
  name: 'get_operation',
  summary: 'Tells what became of a call: of a `task`, or of one whose outcome was not known.',
  permission: own,
  lane: 'metadata',
  access: 'read',
  args: { operation_id: operationId },
  result: OperationRecord,
});

export const waitOperation = defineMethod({
  name: 'wait_operation',
  summary: 'Like get_operation, but answers only when the operation has ended or the time is up.',
  permission: own,
  lane: 'storage',
  access: 'read',
  args: {
    operation_id: operationId,
    timeout: optional(wholeNumber(0, 25), 25, 'Seconds to wait at most'),
  },
  result: OperationRecord,
});

export const listOperations = defineMethod({
  name: 'list_operations',
  summary:
    'Lists the caller’s operations, and calls that failed before they began one, the newest first; an administrator’s list has everybody’s.',
  permission: own,
  lane: 'metadata',
  access: 'read',
  args: {
    state: optional(text(20), null, '`running`, `done` or `failed`', 'any'),
    userid: optional(entityRef, null, 'Whose; others than administrators may name only themselves', 'everybody'),
    limit,
    cursor: optional(text(255), null, 'Only entries after the one with this `operation_id`'),
  },
  result: v.array(OperationRecord),
});

export const cancelOperation = defineMethod({
  name: 'cancel_operation',
  summary:
    'Asks for an own operation to be undone; wait_operation tells when it is. Deletions are not cancelled, and what has ended stays.',
  permission: own,
  lane: 'metadata',
  access: 'write',
  args: { operation_id: operationId },
  result: v.strictObject({ success: v.boolean(), msg: v.string() }),
});
