const shapes = {
  dir: 'M1.5 3.5h4.6l1.6 1.9h6.8v7.6h-13z',
  file: 'M3.5 1.5h5.8l3.2 3.2v9.8h-9zM9 1.8v3.2h3.2',
  symlink: 'M3.5 14.5v-13h5.8l3.2 3.2v9.8zM5.6 11.5c0-2.6 1.4-3.6 4-3.6M8 6l2 1.9-2 1.9',
  submodule: 'M8 1.5l5.8 3.2v6.6l-5.8 3.2-5.8-3.2v-6.6zM2.4 4.8l5.6 3.2 5.6-3.2M8 8v6.3',
} as const;

const names = { dir: 'Directory', file: 'File', symlink: 'Symbolic link', submodule: 'Submodule' } as const;

export type EntryKind = keyof typeof shapes;

/** Renders the icon of a directory entry's kind, with a label. */
export function EntryIcon({ kind }: { kind: EntryKind }) {
  return (
    <>
      <svg class={`entry-icon ${kind}`} viewBox="0 0 16 16" width="16" height="16" aria-hidden="true">
        <path d={shapes[kind]} />
      </svg>
      <span class="visually-hidden">{names[kind]} </span>
    </>
  );
}
