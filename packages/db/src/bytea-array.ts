/** Values for a parameter `::bytea[]` as literals: the driver reads a list of buffers as one buffer. */
export function byteaArray(values: readonly Buffer[]): string {
  return `{${values.map((value) => `"\\\\x${value.toString('hex')}"`).join(',')}}`;
}
