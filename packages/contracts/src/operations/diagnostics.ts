import * as v from 'valibot';
import { required } from '../args/arg.ts';
import { defineOperation } from '../operation.ts';
import { ServerInfoRecord } from '../records/server-info.ts';

export const test = defineOperation({
  name: 'test',
  summary: 'Answers the argument it was given, through gateway, bus and worker.',
  permission: { caller: 'admin' },
  lane: 'metadata',
  access: 'read',
  args: { args: required(v.unknown(), 'Any JSON value') },
  result: v.unknown(),
});

export const getServerInfo = defineOperation({
  name: 'get_server_info',
  summary: 'Tells which versions of the service, its tools and its libraries run; of one worker.',
  permission: { caller: 'admin' },
  // The tools are asked: a worker for metadata alone may have none.
  lane: 'storage',
  access: 'read',
  args: {},
  result: ServerInfoRecord,
});
