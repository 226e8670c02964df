const rowsMax = 200;

interface Props {
  readonly caption: string;
  /** Permissions such as `repository.read`, by the name of the object. */
  readonly permissions: Readonly<Record<string, string>>;
  /** A filter for names. */
  readonly filter: string;
  readonly path?: (name: string) => string;
}

/** A table of levels by name, cut at a limit. */
export function PermissionTable({ caption, permissions, filter, path }: Props) {
  const wanted = filter.toLowerCase();
  const found = Object.entries(permissions).filter(([name]) => name.toLowerCase().includes(wanted));
  if (found.length === 0) {
    return (
      <>
        <h3>{caption}</h3>
        <p class="soft">None{filter === '' ? '' : ` whose name contains “${filter}”`}.</p>
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
          {rowsMax} of {found.length} are shown: look for a part of the name.
        </p>
      )}
    </>
  );
}
