import { readFileSync } from 'node:fs';

/** The page size of x86-64, and of arm64 kernels but a few. */
const pageBytes = 4_096;

/** Reads a small file of /proc at once: the kernel makes it from counters, in microseconds. */
function textOf(path: string): string {
  try {
    return readFileSync(path, 'latin1');
  } catch {
    return '';
  }
}

/**
 * Returns the anonymous memory of one process, in bytes: what is resident without pages of files, such as mapped packs;
 * 0 where there is no /proc.
 */
export function processMemory(pid: number | string): number {
  const [, resident = '0', shared = '0'] = textOf(`/proc/${pid}/statm`).split(' ');
  return Math.max(0, Number(resident) - Number(shared)) * pageBytes;
}

/**
 * Returns the anonymous memory, in bytes, of a process and of what it has started, on the system's account; 0 where
 * there is no /proc. Tools start their helpers from their main thread.
 */
export function groupMemory(pid: number | string): number {
  const id = String(pid);
  const children = textOf(`/proc/${id}/task/${id}/children`).split(' ').filter(Boolean);
  return children.reduce((bytes, child) => bytes + groupMemory(child), processMemory(id));
}
