const names = ['repoid', 'repogroupid', 'usersgroupid', 'usergroupid', 'userid'];

/** Returns the key of the first object that a call names by id or name, or else that of its caller. */
export function queueKeyOf(args: object, callerId: number): string {
  const given = new Map<string, unknown>(Object.entries(args));
  for (const name of names) {
    const ref = given.get(name);
    if (typeof ref === 'object' && ref !== null && 'sent' in ref) return `${name} ${String(ref.sent)}`;
  }
  return `caller ${callerId}`;
}
