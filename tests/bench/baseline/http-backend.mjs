// Serves the git repositories below ROOT with `git http-backend`, one process for each request, as a web server would.
import { spawn } from 'node:child_process';
import { createServer } from 'node:http';

const [file, ...prefix] = JSON.parse(process.env.GIT_COMMAND);

function environmentOf({ url, method, headers }) {
  const { pathname, search } = new URL(url, 'http://localhost');
  return {
    PATH: process.env.PATH,
    HOME: '/nonexistent',
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_PROJECT_ROOT: process.env.ROOT,
    GIT_HTTP_EXPORT_ALL: '1',
    PATH_INFO: pathname,
    QUERY_STRING: search.slice(1),
    REQUEST_METHOD: method,
    CONTENT_TYPE: headers['content-type'] ?? '',
    HTTP_CONTENT_ENCODING: headers['content-encoding'] ?? '',
    GIT_PROTOCOL: headers['git-protocol'] ?? '',
    REMOTE_USER: 'ann',
  };
}

function answer(request, response) {
  const child = spawn(file, [...prefix, 'http-backend'], {
    env: environmentOf(request),
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  request.pipe(child.stdin).on('error', () => {});
  let head = '';
  child.stdout.on('data', (piece) => {
    if (response.headersSent) return void response.write(piece);
    head += piece.toString('latin1');
    const end = head.indexOf('\r\n\r\n');
    if (end < 0) return;
    const lines = head.slice(0, end).split('\r\n');
    const fields = Object.fromEntries(lines.map((line) => line.split(': ')));
    const { Status: status = '200', ...headers } = fields;
    response.writeHead(Number.parseInt(status, 10), headers);
    response.write(Buffer.from(head.slice(end + 4), 'latin1'));
  });
  // Only then has this process the CPU time of its child.
  child.on('close', () => response.end());
}

const http = createServer(answer);
http.listen(0, '127.0.0.1', () => process.send({ ready: true, port: http.address().port }));
process.on('disconnect', () => process.exit(0));
