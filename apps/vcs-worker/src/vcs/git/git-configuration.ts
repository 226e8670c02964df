export interface GitSetting {
  /** In small letters, without the subsection: `remote.url`, `core.bare`. */
  readonly name: string;
  readonly value: string;
}

const sectionHead = /^\[\s*([A-Za-z0-9-]+)(?:\.[^\]\s"]*|\s+"(?:[^"\\]|\\.)*")?\s*\]/;

/** The settings of a repository's own file, without what it includes. */
export function parseGitConfiguration(text: string): GitSetting[] {
  const settings: GitSetting[] = [];
  let section = '';
  for (const line of text.replace(/\\\r?\n/g, '').split('\n')) {
    let rest = line.trim();
    const head = sectionHead.exec(rest);
    if (head) {
      section = head[1] ?? '';
      rest = rest.slice(head[0].length).trim();
    }
    const setting = /^([A-Za-z][A-Za-z0-9-]*)\s*(?:=(.*))?$/.exec(rest);
    if (!setting) continue;
    // A key alone means true.
    const value = (setting[2] ?? 'true').replace(/[#;].*$/, '').replaceAll('"', '');
    settings.push({ name: `${section}.${setting[1]}`.toLowerCase(), value: value.trim() });
  }
  return settings;
}
