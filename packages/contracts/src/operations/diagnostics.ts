import * as v from 'valibot';
import { required } from '../args/arg.ts';
import { defineOperation } from '../operation.ts';

export const test = defineOperation({
  name: 'test',
  summary: 'Answers the argument it was given, through gateway, bus and worker.',
  permission: { caller: 'admin' },
  lane: 'metadata',
  access: 'read',
  args: { args: required(v.unknown(), 'Any JSON value') },
  result: v.unknown(),
});
