import * as v from 'valibot';
import { required } from '../args/arg.ts';
import { entityRef } from '../args/schemas.ts';
import { defineMethod } from '../method.ts';

export const verifyRepo = defineMethod({
  name: 'verify_repo',
  summary:
    'Has all of a repository read in the background, by `git fsck` or `hg verify`, to find what is damaged or missing. `get_server_info` lists damaged repositories.',
  permission: { caller: 'admin', repository: 'admin' },
  lane: 'metadata',
  access: 'write',
  args: { repoid: required(entityRef, 'Repository name or id') },
  result: v.strictObject({ msg: v.string(), success: v.literal(true) }),
});
