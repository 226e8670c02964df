// What `npm start`, `npm test` and `npm run bench` run: plain JavaScript without packages, because it installs them.
// Only the version check stands here, in words that an old Node understands.
const [major, minor] = process.versions.node.split('.').map(Number);
if (major < 20 || (major === 20 && minor < 19)) {
  console.error(`Trunkline needs Node 20.19 or newer; this is ${process.version}.`);
  process.exit(1);
}
void import('./bootstrap/main.mjs').then(({ main }) => main(process.argv.slice(2)));
