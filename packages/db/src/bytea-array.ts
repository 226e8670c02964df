/** Writes values as the literal of a parameter `::bytea[]`: the driver would send a list of buffers as one buffer. */
export function byteaArray(values: readonly Buffer[]): string {
  return `{${values.map((value) => `"\\\\x${value.toString('hex')}"`).join(',')}}`;
}
