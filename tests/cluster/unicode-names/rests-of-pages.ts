/** What addresses of a repository's pages may name, as it stands in an address. */
interface Walked {
  /** Names of a branch, of a tag and, where the system has them, of a bookmark. */
  readonly revisions: readonly string[];
  readonly file: string;
  readonly filter: string;
}

const alone = () => [''];
const ofRevisions = ({ revisions }: Walked) => revisions.map((revision) => `/${revision}`);
const ofFiles = ({ revisions, file }: Walked) => revisions.map((revision) => `/${revision}/${file}`);
const ofRange = ({ revisions }: Walked) => [`/${revisions[1]}...${revisions[0]}`];
const ofTwoFiles = ({ revisions, file }: Walked) => [`/${file}?diff1=${revisions[1]}&diff2=${revisions[0]}`];
const ofRefs = ({ filter }: Walked) => ['', `?filter=${filter}`];

/** What follows the address of each page of a repository: all that the page can show. */
export const restsOfPages: Readonly<Record<string, (walked: Walked) => readonly string[]>> = {
  '': alone,
  annotate: ofFiles,
  archive: ({ revisions }) =>
    revisions.flatMap((one) => ['zip', 'tar', 'tar.gz', 'tar.bz2'].map((end) => `/${one}.${end}`)),
  bookmarks: ofRefs,
  branches: ofRefs,
  changelog: ({ revisions }) => ['', ...revisions.slice(0, 1).map((branch) => `?branch=${branch}`)],
  changeset: (walked) => [...ofRevisions(walked), ...ofRange(walked)],
  'changeset-diff': ofRevisions,
  'changeset-download': ofRevisions,
  'changeset-patch': ofRevisions,
  commits: ofFiles,
  compare: ofRange,
  diff: ofTwoFiles,
  'diff-2way': ofTwoFiles,
  download: ofFiles,
  'feed/atom': alone,
  'feed/rss': alone,
  files: (walked) => ['', ...ofRevisions(walked), ...ofFiles(walked)],
  followers: alone,
  forks: alone,
  history: ofFiles,
  raw: ofFiles,
  'raw-changeset': ofRevisions,
  rawfile: ofFiles,
  render: ofFiles,
  settings: alone,
  'settings/branch': alone,
  'settings/delete': alone,
  'settings/maintenance': alone,
  'settings/permissions': alone,
  summary: alone,
  tags: ofRefs,
};
