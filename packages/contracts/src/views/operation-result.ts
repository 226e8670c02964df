import * as v from 'valibot';
import { required } from '../args/arg.ts';
import { text } from '../args/schemas.ts';
import { defineMethod } from '../method.ts';

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
