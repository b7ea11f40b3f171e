/* Coffer itself, as `coffer serve` runs it: limiter and authentication on, one process. */
import { readConfig, serve } from '../../packages/server/src/main.ts';
import { reportToParent } from './report.ts';

const config = readConfig(
  {
    port: '0',
    rateLimit: '1000000000/60s',
    logLevel: 'error',
    database: process.env['BENCH_DATABASE'] ?? '',
  },
  {},
);
const { url } = await serve(config);
reportToParent(Number(new URL(url).port));
