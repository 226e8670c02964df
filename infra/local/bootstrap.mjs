// Entry of `npm start`, `npm test` and `npm run bench`: plain JavaScript without packages, because it installs them.
// This file has only the check of Node's version, in syntax that an old Node can parse.
const [major, minor] = process.versions.node.split('.').map(Number);
if (major < 20 || (major === 20 && minor < 19)) {
  console.error(`Trunkline needs Node 20.19 or newer; this is ${process.version}.`);
  process.exit(1);
}
void import('./bootstrap/main.mjs').then(({ main }) => main(process.argv.slice(2)));
