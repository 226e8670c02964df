import * as v from 'valibot';
import { optional, required } from '../args/arg.ts';
import { flag } from '../args/schemas.ts';
import { defineMethod } from '../method.ts';
import { ConsistencyRecord, mergeReports } from '../records/consistency.ts';
import { ServerInfoRecord } from '../records/server-info.ts';

export const test = defineMethod({
  name: 'test',
  summary: 'Returns its argument, to test the gateway, the bus and a worker.',
  permission: { caller: 'admin' },
  lane: 'metadata',
  access: 'read',
  args: { args: required(v.unknown(), 'Any JSON value') },
  result: v.unknown(),
});

export const getServerInfo = defineMethod({
  name: 'get_server_info',
  summary: 'Returns the versions of the service, its tools and its libraries, as reported by one worker.',
  permission: { caller: 'admin' },
  // In the lane `storage`, because a worker that serves `metadata` alone may lack git and hg, whose versions are read.
  lane: 'storage',
  access: 'read',
  args: {},
  result: ServerInfoRecord,
});

export const getConsistencyReport = defineMethod({
  name: 'get_consistency_report',
  summary:
    'Lists inconsistencies between the database and the storage, and unfinished work; makes safe repairs when asked to.',
  permission: { caller: 'admin' },
  lane: 'storage',
  access: 'write',
  changesData: ({ repair }) => repair !== undefined && repair !== false,
  args: { repair: optional(flag, false, 'Whether the repairs named in the findings are made') },
  result: ConsistencyRecord,
  merge: mergeReports,
});
