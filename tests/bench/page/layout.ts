/** A part of docs/performance.md: files of benchmarks that belong together, and what their figures mean. */
export interface Chapter {
  readonly heading: string;
  readonly about: string;
  readonly files: readonly string[];
  /** The page below docs that has the chapter instead of performance.md. */
  readonly study?: string;
}

export const chapters: readonly Chapter[] = [
  {
    heading: 'Where the time of a call goes',
    about: `Calls of the [calls beside those of another product](studies/performance-reach.md) under 32 connections, while V8's profiler samples the main threads of gateway and
worker every 0.2 ms. Percentages are of the time in which such a thread is busy: *sockets* is writing to them, and *longest
function* the one function of JavaScript that runs longest itself, without what it calls.`,
    files: ['profiles.bench.ts'],
  },
  {
    heading: 'Calls against their floors',
    about: `One gateway, one worker, one nats-server and one Postgres that writes to the disk, with 1,000 repositories, 50 users
and their 50,000 permissions, under 32 connections. Each connection samples its own requests, never the same twice in
succession: grants change the level of a user on a repository that no other connection changes, and creations have
names of their own. CPU times are those of all processes of each part, with the children of the worker and the backends of
Postgres that have ended.

The *echo* is the floor: Hono, one NATS request, one prepared select, and an answer with as many bytes. *HTTP* is Hono
that answers by itself. Service and floors are measured in turn; each figure is the median of the rounds, with the lowest
and the highest in parentheses, and \`all / echo\` compares the two of the same round.`,
    files: ['calls.bench.ts'],
  },
  {
    heading: 'Replies about bytes',
    about: `Calls of the same service that depend on the bytes of repositories alone: *cold*, when a worker keeps no replies and
no lists of nodes; *warm*, without writes; and with 5 % writes, each of which gives one of the repositories that are read a
new generation.`,
    files: ['replies.bench.ts'],
  },
  {
    heading: 'Calls beside those of another product',
    about: `Calls a second by connections, beside those of Kallithea 0.7.99 on two cores (\`Kallithea/s\`, measured once, with the
same data) and the goal as a multiple of them. *Cold*: the worker keeps no replies and no lists of nodes; *warm*: without
writes; *with writes*: each connection sends 5 % writes, of which half are grants and creations. 200 callers and 1,000
repositories. \`of the echo\` compares with the echo in the same run, at as many connections and with as many bytes: what
the load generator, Hono, NATS and Postgres leave of the two cores.`,
    files: ['reach.bench.ts'],
    study: 'studies/performance-reach.md',
  },
  {
    heading: 'A mixed load',
    about: `The same service, with 90 % reads, 5 % writes and 5 % bytes (files, archives, differences) on 32 connections.`,
    files: ['mixed.bench.ts'],
  },
  {
    heading: 'Others beside an abuser',
    about: `Times of calls of ordinary clients, alone and beside clients that ask for all they can get, or break off what they asked for.`,
    files: [
      'hot-repository.bench.ts',
      'storage-away.bench.ts',
      'keyless.bench.ts',
      'held-rows.bench.ts',
      'gone-clients.bench.ts',
      'sign-in.bench.ts',
    ],
  },
  {
    heading: 'Ordinary users beside all abusers',
    about: `Measured with mechanisms that are gone since ([ADR 79](../adr/0079-who-goes-first.md)), which also has what each of them
contributed. Bodies without a key, downloads, slow readers and other abusers act at once (\`abusers\`), or each by itself
(\`each-abuser\`), beside users with a mix of reads, writes, bytes and pages. In \`each-abuser\`, *p99 / alone*
compares users beside an abuser with the same users alone, at the beginning of the same run. Imports and pulls are those
of a user with a remote of their own, and sign-ins those of the user whose password is guessed. In \`abusers\`, the first 20 s
after all abusers begin at once, which happens twice, are apart, and *ratio of all* has them with the rest. *The echo* is the floor of
both: bare programs that no abuser asks, on the same bus and database, so that what abusers do to its times is what the
cores of the machine do, which abusers, users and service share.`,
    files: ['abusers.bench.ts', 'each-abuser.bench.ts'],
    study: 'studies/performance-abusers.md',
  },
  {
    heading: 'Commands in one message',
    about: `Measured and not built ([ADR 50](../adr/0050-messages-of-one-turn.md)). Two gateways and three workers on one nats-server and one Postgres, under 32 connections: the service's \`test\` and
\`get_repo\`, beside bare programs that send signed commands and answer each after one prepared select. The commands are
written to the bus *alone*, as messages that one turn of the event loop writes *together*, as the service does, or
*batched*: those of a turn in one signed message. Measured in turn; each figure is the median of the rounds.`,
    files: ['batched-bus.bench.ts'],
    study: 'studies/performance-messages.md',
  },
  {
    heading: 'Bytes over the bus and over data ports',
    about: `A bare gateway and a bare worker with the product's own ends of both, which pass bytes of memory on to clients of HTTP,
measured in turn; each figure is the median of the rounds.`,
    files: ['data-port.bench.ts'],
  },
  {
    heading: 'Clones',
    about: `A history of 5,000 commits, each with a file of its own, cloned by git and by Mercurial through one gateway and one
worker, against \`git http-backend\`, started by a bare server, and against hgweb, in turn; each figure is the median of the
rounds. CPU times are those of all processes of each side, with their children that have ended, without those of the clients.
*Cold* is the first clone of a repository, *warm* the third one; of both, what the service takes meanwhile when nobody asks
anything is not counted. Clones at once are the requests of as many clients, of a
repository that nobody has asked for before, by one process that stores nothing.

Small answers are those that a client asks for before it clones, one after the other on one connection, in turn with
\`get_ip\`; *cold* ones are those that nobody has asked for, and are compared with \`git upload-pack\` without any server.`,
    files: ['clones-git.bench.ts', 'clones-hg.bench.ts', 'small-answers.bench.ts', 'clones-beside.bench.ts'],
  },
  {
    heading: 'Pushes',
    about: `Pushes by git through one gateway and one worker, against \`git http-backend\`, started by a bare server, in turn; each
figure is the median of the rounds. CPU times are those of all processes of each side, without those of the clients.`,
    files: ['push.bench.ts'],
  },
  {
    heading: 'Copies between storages',
    about: `A tree that one process sends to a worker, writes to the directory of a worker of the same machine
(\`TRUNKLINE_COPY_STORAGES\`), or copies itself as a worker of both storages does: from the beginning of the copy until it is
in its path and durable, against \`cp -a\` and \`sync\` of the same tree on the same disk, in turn; each figure is the median
of the rounds. Over a connection, every byte passes through two processes; otherwise children have the kernel copy large
files, and their CPU time is not counted here.`,
    files: ['move.bench.ts'],
  },
  {
    heading: 'Whole instances',
    about: `\`trunklinectl\` with one gateway and one worker: the import of a database of Kallithea with 200 repositories of a
few kilobytes, 100 users, groups and rights; a further import, of which nothing has changed; a backup of that instance to a
directory; a further one; and its restore into an empty instance, whose worker reads all of each repository. Large
repositories take the time of copying their bytes beside that.`,
    files: ['instance.bench.ts'],
  },
  {
    heading: 'Single calls',
    about: `Calls against what a tool or the database takes for the same work. Postgres does not write to the disk here.`,
    files: [],
  },
];

/** Returns the chapter of a file; the last one has all that no other names. */
export function chapterOf(file: string): Chapter | undefined {
  return chapters.find(({ files }) => files.includes(file)) ?? chapters.at(-1);
}
