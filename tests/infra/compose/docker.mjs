// The program `docker` of the test of docs/first-hour.md: has the test carry out the command, and ends as it says.
const body = JSON.stringify(process.argv.slice(2));
const answer = await fetch(process.env.TRUNKLINE_TEST_DOCKER, { method: 'POST', body });
const { exitCode, output } = await answer.json();
process.stdout.write(output);
process.exit(exitCode);
