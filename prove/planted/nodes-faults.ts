import { faultsOf, type PlantedFault } from './planted-fault.ts';

const http = 'packages/server/src/http';
const signals = 'packages/cli/src/stop-signals.ts';

/** What lets a node of several stop without a request that is lost, and what the examples for proxies guard. */
export const nodesFaults: readonly PlantedFault[] = [
  ...faultsOf(`${http}/shutdown.ts`, ['shutdown.test.ts'], {
    'a node stops before a proxy can see that it is not ready': [
      'setTimeout(stop, stopDelayMs)',
      'setTimeout(stop, 0)',
    ],
    'a request that is on the way to a node that stops is cut off': [
      'return !isNew && ',
      'return ',
    ],
  }),
  ...faultsOf(`${http}/app.ts`, ['shutdown.test.ts'], {
    'a node says that it is not ready only after it has waited': [
      'const probeMethods = addProbes(',
      'drainOnClose(app, limits);\n  const probeMethods = addProbes(',
    ],
    'the framework ends the wait of a node that stops': ['limits.stopDelayMs + 10_000', '10_000'],
  }),
  ...faultsOf('packages/server/src/config.ts', ['config.test.ts'], {
    'a node goes on for hours when it is told to stop': ['&& ms <= mostStopDelayMs', ''],
  }),
  ...faultsOf(signals, ['stop-signals.test.ts'], {
    'a node that goes on is taken for one that hangs': ['delayMs + patienceMs', 'patienceMs'],
  }),
  ...faultsOf('deploy/nginx.conf', ['test/many-nodes-proxies.test.ts'], {
    'nginx hands on the address that a client wrote': [
      'X-Forwarded-For $remote_addr;',
      'X-Forwarded-For $http_x_forwarded_for;',
    ],
    'nginx does not ask another node': [
      'proxy_next_upstream error timeout http_502 http_503;',
      'proxy_next_upstream off;',
    ],
    'nginx sends writes twice': [
      'timeout http_502 http_503;',
      'timeout http_502 http_503 non_idempotent;',
    ],
    'nginx logs queries': ['$request_method $uri $status', '$request_method $request_uri $status'],
    'nginx keeps no connection to a node': ['keepalive 64;', ''],
    'nginx answers in words of its own': ['error_page 502 504 @unanswered;', ''],
    'nginx refuses what is for a node to refuse': ['large_client_header_buffers 4 32k;', ''],
  }),
  ...faultsOf('deploy/haproxy.cfg', ['test/many-nodes-proxies.test.ts'], {
    'HAProxy hands on the address that a client wrote': [
      'http-request set-header X-Forwarded-For %[src]',
      'option forwardfor',
    ],
    'HAProxy does not ask another node': [' empty-response 502 503', ''],
    'HAProxy sends writes twice': [
      'retry-on conn-failure\n',
      'retry-on conn-failure empty-response 502 503\n',
    ],
    'HAProxy sends a write on a connection that a node may be closing': [
      'option http-server-close',
      '',
    ],
    'HAProxy logs queries': ['%HM %HPO %ST', '%HM %HU %ST'],
  }),
  ...faultsOf('deploy/haproxy.cfg', ['test/many-nodes.test.ts'], {
    'HAProxy does not ask whether a node is ready': ['uri /readyz', 'uri /healthz'],
  }),
  ...faultsOf('deploy/compose.yaml', ['test/many-nodes-files.test.ts'], {
    'a node is killed while it drains': ['stop_grace_period: 20s', 'stop_grace_period: 10s'],
    'everybody may be a proxy': [
      'TRUSTED_PROXIES: 172.31.250.10',
      'TRUSTED_PROXIES: 172.31.250.0/24',
    ],
  }),
  ...faultsOf('deploy/coffer@.service', ['test/many-nodes-files.test.ts'], {
    'systemd kills a node while it drains': ['TimeoutStopSec=20s', 'TimeoutStopSec=10s'],
  }),
];
