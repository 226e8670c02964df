import * as v from 'valibot';

/** States of the storage: `ok`, or the reason why repositories cannot be written. */
export const storageStates = ['ok', 'no-marker', 'foreign', 'read-only', 'full', 'failing'] as const;
export type StorageState = (typeof storageStates)[number];

/** Versions and storage of one worker; the version of a tool that does not report one is null. */
export const ServerInfoRecord = v.strictObject({
  trunkline_version: v.string(),
  node_version: v.string(),
  platform: v.string(),
  git_version: v.nullable(v.string()),
  git_path: v.string(),
  hg_version: v.nullable(v.string()),
  hg_path: v.string(),
  /** Sizes in bytes; null where the system does not report them. */
  storage: v.strictObject({
    state: v.picklist(storageStates),
    free_bytes: v.nullable(v.number()),
    total_bytes: v.nullable(v.number()),
  }),
  modules: v.array(v.tuple([v.string(), v.string()])),
});
