// The health check of the images: ends with 0 when the address answers with success.
const answer = await fetch(process.argv[2]).catch(() => null);
process.exit(answer?.ok ? 0 : 1);
