import type { BackupSink } from './sink.ts';

/** Remembers that a write has failed, which no other repository can mend. */
export function noticeFailure(sink: Pick<BackupSink, 'write'>) {
  let failure: { readonly error: unknown } | undefined;
  const write: BackupSink['write'] = async (name, content) => {
    try {
      await sink.write(name, content);
    } catch (error) {
      failure ??= { error };
      throw error;
    }
  };
  const requireNone = () => {
    if (failure) throw failure.error;
  };
  return { write, requireNone };
}
