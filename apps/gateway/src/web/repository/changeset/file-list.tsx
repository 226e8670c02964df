import type { DiffChange } from '../../render/diff/diff-file.ts';
import { shownText } from '../../render/text/shown-text.ts';
import type { ChangedFile } from './changed-files.ts';
import { LineCounts } from './line-counts.tsx';

const shownMax = 1_000;
const openMax = 30;

const changeTexts: Readonly<Record<DiffChange, string>> = {
  added: 'added',
  removed: 'removed',
  changed: 'changed',
  renamed: 'renamed',
  copied: 'copied',
  mode: 'mode',
};

function Row({ file: { path, change, shown, counts } }: { file: ChangedFile }) {
  return (
    <tr>
      <td class="soft">{changeTexts[change]}</td>
      <th scope="row" class="path">
        {shown ? <a href={`#file-${shown.index + 1}`}>{shownText(path)}</a> : shownText(path)}
      </th>
      <td class="number">{counts && <LineCounts {...counts} />}</td>
    </tr>
  );
}

function Rows({ files }: { files: readonly ChangedFile[] }) {
  return (
    <>
      <table class="file-list">
        <thead class="visually-hidden">
          <tr>
            <th scope="col">Change</th>
            <th scope="col">Path</th>
            <th scope="col">Lines</th>
          </tr>
        </thead>
        <tbody>
          {files.slice(0, shownMax).map((file) => (
            <Row file={file} />
          ))}
        </tbody>
      </table>
      {files.length > shownMax && <p class="soft">{files.length - shownMax} more files are not listed.</p>}
    </>
  );
}

/** Renders the list of a changeset's files, folded when there are more than `openMax`. */
export function FileList({ files, isWhole }: { files: readonly ChangedFile[]; isWhole: boolean }) {
  const sum = (side: 'added' | 'removed') => files.reduce((total, { counts }) => total + (counts?.[side] ?? 0), 0);
  return (
    <section aria-labelledby="files">
      <div class="title files">
        <h2 id="files">{files.length === 1 ? '1 file' : `${files.length} files`}</h2>
        {isWhole && files.length > 0 && <LineCounts added={sum('added')} removed={sum('removed')} />}
      </div>
      {files.length > openMax ? (
        <details>
          <summary>List of the files</summary>
          <Rows files={files} />
        </details>
      ) : (
        files.length > 0 && <Rows files={files} />
      )}
    </section>
  );
}
