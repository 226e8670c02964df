import * as v from 'valibot';

/** What runs the service, as one worker sees it; the version of a tool that does not answer is null. */
export const ServerInfoRecord = v.strictObject({
  trunkline_version: v.string(),
  node_version: v.string(),
  platform: v.string(),
  git_version: v.nullable(v.string()),
  git_path: v.string(),
  hg_version: v.nullable(v.string()),
  hg_path: v.string(),
  modules: v.array(v.tuple([v.string(), v.string()])),
});
