/** Values for a parameter `::bytea[]`, spelled out: the driver takes a list of buffers for one buffer. */
export function byteaArray(values: readonly Buffer[]): string {
  return `{${values.map((value) => `"\\\\x${value.toString('hex')}"`).join(',')}}`;
}
