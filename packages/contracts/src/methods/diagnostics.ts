import * as v from 'valibot';
import { optional, required } from '../args/arg.ts';
import { flag } from '../args/flag.ts';
import { defineMethod } from '../method.ts';
import { ConsistencyRecord } from '../records/consistency.ts';
import { ServerInfoRecord } from '../records/server-info.ts';

export const test = defineMethod({
  name: 'test',
  summary: 'Answers the argument it was given, through gateway, bus and worker.',
  permission: { caller: 'admin' },
  lane: 'metadata',
  access: 'read',
  args: { args: required(v.unknown(), 'Any JSON value') },
  result: v.unknown(),
});

export const getServerInfo = defineMethod({
  name: 'get_server_info',
  summary: 'Tells which versions of the service, its tools and its libraries run; of one worker.',
  permission: { caller: 'admin' },
  // The lane storage, because the versions of git and hg are read, which a metadata-only worker may not have.
  lane: 'storage',
  access: 'read',
  args: {},
  result: ServerInfoRecord,
});

export const getConsistencyReport = defineMethod({
  name: 'get_consistency_report',
  summary: 'Lists what database and storage disagree about and what is half done; repairs what is safe to when asked.',
  permission: { caller: 'admin' },
  lane: 'storage',
  access: 'write',
  changes: ({ repair }) => repair === true,
  args: { repair: optional(flag, false, 'Do what the entries name as their repair') },
  result: ConsistencyRecord,
});
