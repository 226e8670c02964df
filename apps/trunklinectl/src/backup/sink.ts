/** What a backup is written to. */
export interface BackupSink {
  /** Writes a file whose name no earlier file has. */
  write(name: string, content: Buffer): Promise<void>;
  /** Writes the manifest, which makes a backup of the files, once these survive a power failure. */
  finish(manifest: Buffer): Promise<void>;
}
