/** Returns the disk failure in the text of a tool's or system's error; null when the text has another cause. */
export function diskFailure(text: string): 'storage-full' | 'storage-read-only' | null {
  if (/No space left on device|Disk quota exceeded/.test(text)) return 'storage-full';
  return text.includes('Read-only file system') ? 'storage-read-only' : null;
}
