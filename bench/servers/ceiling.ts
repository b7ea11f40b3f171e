/* The ceiling: a bare HTTP server that sends prepared bytes. Nothing in Node can serve a page at a lower cost. */
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { reportToParent } from './report.ts';

const page = readFileSync(process.env['BENCH_PAGE'] ?? '');
const server = createServer((_request, response) => {
  response.writeHead(200, { 'Content-Type': 'application/json', 'Content-Length': page.length });
  response.end(page);
});
server.listen(0, '127.0.0.1', () => reportToParent((server.address() as AddressInfo).port));
