export interface GitSetting {
  /** Section and key in lower case, without the subsection: `remote.url`, `core.bare`. */
  readonly name: string;
  readonly value: string;
}

const sectionHead = /^\[\s*([A-Za-z0-9-]+)(?:\.[^\]\s"]*|\s+"(?:[^"\\]|\\.)*")?\s*\]/;

/** Returns whether a line goes on in the next one: it ends in a backslash that is neither escaped nor in a comment. */
function isContinued(line: string): boolean {
  let quoted = false;
  for (let index = 0; index < line.length; index += 1) {
    const character = line[index];
    if (character === '\\') {
      index += 1;
      if (index === line.length) return true;
    } else if (character === '"') quoted = !quoted;
    else if (!quoted && (character === '#' || character === ';')) return false;
  }
  return false;
}

/** Joins continued lines. */
function logicalLines(text: string): string[] {
  const lines: string[] = [];
  let begun = '';
  for (const physical of text.split('\n')) {
    const line = begun + physical.replace(/\r$/, '');
    if (isContinued(line)) begun = line.slice(0, -1);
    else {
      lines.push(line);
      begun = '';
    }
  }
  return [...lines, begun];
}

/** Parses the settings of a repository's configuration file; files that an `include` names are not read. */
export function parseGitConfiguration(text: string): GitSetting[] {
  const settings: GitSetting[] = [];
  let section = '';
  for (const line of logicalLines(text)) {
    let rest = line.trim();
    const head = sectionHead.exec(rest);
    if (head) {
      section = head[1] ?? '';
      rest = rest.slice(head[0].length).trim();
    }
    const setting = /^([A-Za-z][A-Za-z0-9-]*)\s*(?:=(.*))?$/.exec(rest);
    if (!setting) continue;
    // A key without `=` means true.
    const value = (setting[2] ?? 'true').replace(/[#;].*$/, '').replaceAll('"', '');
    settings.push({ name: `${section}.${setting[1]}`.toLowerCase(), value: value.trim() });
  }
  return settings;
}

/** Returns the configuration that every repository of git has. */
export function ownConfiguration(repositoryUuid: string): string {
  const core = '[core]\n\trepositoryformatversion = 0\n\tfilemode = true\n\tbare = true\n';
  return `${core}[trunkline]\n\tuuid = ${repositoryUuid}\n`;
}
