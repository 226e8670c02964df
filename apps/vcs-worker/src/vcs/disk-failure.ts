/** Whether the text of a tool's or system's error tells of a disk that cannot be written to. */
export function diskFailure(text: string): 'storage-full' | 'storage-read-only' | null {
  if (/No space left on device|Disk quota exceeded/.test(text)) return 'storage-full';
  return text.includes('Read-only file system') ? 'storage-read-only' : null;
}
