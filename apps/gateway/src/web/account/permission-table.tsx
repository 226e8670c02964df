const rowsMax = 200;

interface Props {
  readonly caption: string;
  /** Permissions such as `repository.read`, by the names of the objects. */
  readonly permissions: Readonly<Record<string, string>>;
  /** The text that the shown names contain, in upper or lower case; empty for all names. */
  readonly filter: string;
  readonly path?: (name: string) => string;
}

/** Renders a table of objects and the levels on them, of at most `rowsMax` rows. */
export function PermissionTable({ caption, permissions, filter, path }: Props) {
  const wanted = filter.toLowerCase();
  const found = Object.entries(permissions).filter(([name]) => name.toLowerCase().includes(wanted));
  if (found.length === 0) {
    return (
      <>
        <h3>{caption}</h3>
        <p class="soft">{filter === '' ? 'None.' : `No names contain “${filter}”.`}</p>
      </>
    );
  }
  return (
    <>
      <h3>{caption}</h3>
      <table class="permissions">
        <thead>
          <tr>
            <th scope="col">Name</th>
            <th scope="col">Level</th>
          </tr>
        </thead>
        <tbody>
          {found
            .toSorted(([one], [other]) => one.localeCompare(other, 'en'))
            .slice(0, rowsMax)
            .map(([name, permission]) => (
              <tr>
                <td>{path ? <a href={path(name)}>{name}</a> : name}</td>
                <td>{permission.slice(permission.indexOf('.') + 1)}</td>
              </tr>
            ))}
        </tbody>
      </table>
      {found.length > rowsMax && (
        <p class="soft">
          The first {rowsMax} of {found.length} are shown. Filter by name to find others.
        </p>
      )}
    </>
  );
}
