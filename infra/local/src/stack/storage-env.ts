interface StoragePlan {
  readonly storageRoot: string;
  readonly passedOn: Readonly<Record<string, string>>;
}

/** Returns the variable that names the storage in the data directory, unless TRUNKLINE_STORAGES names all of them. */
export function storageEnv({ storageRoot, passedOn }: StoragePlan): Record<string, string> {
  return passedOn['TRUNKLINE_STORAGES'] ? {} : { TRUNKLINE_STORAGE_ROOT: storageRoot };
}
