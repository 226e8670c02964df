interface StoragePlan {
  readonly storageRoot: string;
  readonly workers: number;
  readonly passedOn: Readonly<Record<string, string>>;
}

function listed(text: string | undefined): string[] {
  return (text ?? '').split(',').flatMap((one) => (one.trim() === '' ? [] : [one.trim()]));
}

/** Returns the directories of the storages by name: that of the data directory alone, or those of TRUNKLINE_STORAGES. */
export function storagePaths({
  storageRoot,
  passedOn,
}: Omit<StoragePlan, 'workers'>): Readonly<Record<string, string>> {
  const storages = listed(passedOn['TRUNKLINE_STORAGES']);
  if (storages.length === 0) return { default: storageRoot };
  return Object.fromEntries(
    storages.map((storage) => {
      const [name = '', ...path] = storage.split('=');
      return [name.trim(), path.join('=').trim()];
    }),
  );
}

/**
 * Returns the variables of each worker that name its storage: that of the data directory or, with TRUNKLINE_STORAGES,
 * one of those in turn, so that each storage has a worker of its own. Copies between them need no connection.
 */
export function storageEnvs({ storageRoot, workers, passedOn }: StoragePlan): readonly Record<string, string>[] {
  const storages = listed(passedOn['TRUNKLINE_STORAGES']);
  const created = listed(passedOn['TRUNKLINE_STORAGE_CREATE']);
  if (storages.length === 0) return Array.from({ length: workers }, () => ({ TRUNKLINE_STORAGE_ROOT: storageRoot }));
  const copied = passedOn['TRUNKLINE_COPY_STORAGES'] ?? storages.join(',');
  return Array.from({ length: Math.max(workers, storages.length) }, (_, index) => {
    const storage = storages[index % storages.length] ?? '';
    const [name = ''] = storage.split('=');
    const create = created.includes(name) ? name : '';
    return { TRUNKLINE_STORAGES: storage, TRUNKLINE_STORAGE_CREATE: create, TRUNKLINE_COPY_STORAGES: copied };
  });
}
