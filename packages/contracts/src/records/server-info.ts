import * as v from 'valibot';

/** States of the storage: `ok`, or the reason why repositories cannot be written. */
export const storageStates = ['ok', 'no-marker', 'foreign', 'read-only', 'full', 'failing'] as const;
export type StorageState = (typeof storageStates)[number];

/** State of a storage as one worker sees it; sizes in bytes, null where the system does not report them. */
const storageSizes = {
  state: v.picklist(storageStates),
  free_bytes: v.nullable(v.number()),
  total_bytes: v.nullable(v.number()),
};

/** Versions and storages of one worker; the version of a tool that does not report one is null. */
export const ServerInfoRecord = v.strictObject({
  trunkline_version: v.string(),
  node_version: v.string(),
  platform: v.string(),
  git_version: v.nullable(v.string()),
  git_path: v.string(),
  hg_version: v.nullable(v.string()),
  hg_path: v.string(),
  storage: v.strictObject(storageSizes),
  /** All storages of the worker; `storage` is the one named `default`, or else the first. */
  storages: v.array(v.strictObject({ name: v.string(), ...storageSizes })),
  /** What was found by reading repositories; absent in answers of earlier releases. */
  verification: v.optional(
    v.strictObject({
      /** Number of repositories in which something is damaged or missing. */
      damaged: v.number(),
      /** Names of these, at most 100. */
      damaged_repositories: v.array(v.string()),
    }),
  ),
  modules: v.array(v.tuple([v.string(), v.string()])),
});
