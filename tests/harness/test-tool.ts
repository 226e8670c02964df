/** Returns the path at which `npm test` found a program that only tests need; throws when the variable is not set. */
export function testTool(name: 'CHROMIUM' | 'SLAPD' | 'UNZIP'): string {
  const variable = `TRUNKLINE_TEST_${name}`;
  const path = process.env[variable];
  if (!path) throw new Error(`${variable} is not set: run \`npm test -- <files>\`, which finds the program`);
  return path;
}
