import * as v from 'valibot';
import { required } from '../args/arg.ts';
import { text } from '../args/text.ts';
import { defineMethod } from '../method.ts';

/** Gateways ask for it when the worker that was to answer has died and another one has ended the operation. */
export const viewOperationResult = defineMethod({
  name: 'view_operation_result',
  summary: 'What a call of the caller would have been answered, when its operation has ended; null until then.',
  permission: { caller: 'any' },
  lane: 'metadata',
  access: 'read',
  args: { operation_id: required(text(255), 'Id of an own operation') },
  result: v.unknown(),
});
