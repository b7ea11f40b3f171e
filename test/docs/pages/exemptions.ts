import { isLong } from '../../../packages/core/src/testing/length.ts';
import { noClients } from '../../clients/load.ts';
import { skipWithout } from '../../nodes/proxies.ts';
import type { Block } from './page.ts';
import type { Machine } from './run-page.ts';

export interface Exemption {
  readonly page: string;
  readonly words: string;
  readonly reason: string;
}

const noSystemd =
  'systemctl needs a machine that systemd has booted; test/nodes/units.test.ts runs the units';
const noContainers =
  'docker needs a container engine; test/nodes/image.long.test.ts runs the steps of the image';

/** By page, and by text that only these blocks have. */
const notRun: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'docs/operate/running.md': {
    systemctl: noSystemd,
    'docker compose': noContainers,
  },
  'docs/operate/many-nodes.md': {
    systemctl: noSystemd,
    'docker compose': noContainers,
    '┌─': 'a picture',
  },
  'docs/operate/monitoring.md': {
    systemctl: noSystemd,
  },
  'docs/operate/upgrading.md': {
    systemctl: noSystemd,
    'git checkout': 'it is an older program',
  },
  'docs/operate/behind-a-proxy.md': {
    'location /coffer/': 'test/nodes/public-url.test.ts runs nginx by it',
  },
  'docs/operate/doctor.md': {
    'to_base: … and 1204 more':
      'the output for a damaged database; packages/cli/src/commands/doctor tests it',
  },
  'docs/operate/limits.md': {
    'ACL SETUSER': 'packages/server/src/limiter/redis-access.test.ts tests this line of redis.conf',
  },
  'docs/operate/postgresql-backups.md': {
    '17 3 * * *': 'a line of a crontab; the page runs the same command by hand',
  },
  'docs/guide/balances.md': {
    'POST /coffer/accounts/3/anchors':
      'needs an account with transactions; packages/server/src/ledger/accounts tests the request',
  },
  'docs/guide/banks.md': {
    'npx coffer sync':
      'needs a bridge and its setup token; test/commands/sync.test.ts runs the commands',
  },
  'docs/guide/following-changes.md': {
    'npx coffer webhook': 'needs a receiver; test/commands/webhook.test.ts runs the commands',
    "from 'standardwebhooks'":
      'needs a library; packages/server/src/webhooks verifies in the same way',
    '"book.changed"': 'a message; packages/server/src/webhooks tests its form',
  },
  'docs/guide/undo.md': {
    'notes was changed since': 'a refusal; test/spec/openapi.test.ts compares its form',
  },
  'docs/guide/clients.md': {
    mcpServers:
      'settings of another program; test/upstream/preload.test.ts starts the server with them',
  },
};

export const exemptions: readonly Exemption[] = Object.entries(notRun).flatMap(([page, reasons]) =>
  Object.entries(reasons).map(([words, reason]) => ({ page, words, reason })),
);

/** Pages that continue where the guide's first page ends: the server is running, some with the demo book. */
const plain = 'importing exporting earlier-states searching client crypto following-changes undo';
const demo = 'balances rules categories-and-tags clients reading-transactions for-client-makers';

/**
 * The machine for a page: most operating pages expect an installed product. README runs the real npx, and so does the
 * first page of the guide in the long run.
 */
export function machineFor(page: string, clone: string): Machine {
  const isInstalled = page.startsWith('docs/operate/') && page !== 'docs/operate/running.md';
  const hasRealNpx = page === 'README.md' || (isLong && page === 'docs/guide/getting-started.md');
  return { clone, isInstalled, hasFastNpx: !hasRealNpx };
}

/** What blocks may need beyond a plain Debian machine, and the programs that come with it. */
const needs: readonly (readonly [words: RegExp, ...programs: string[]])[] = [
  [/^haproxy /m, 'haproxy'],
  [/\bopenssl /, 'openssl'],
  [/ pgbouncer /, 'pgbouncer'],
  [/\b(?:pg_createcluster|initdb|psql)\b/, 'pg_createcluster', 'psql'],
  [/^promtool /m, 'promtool'],
  [/^redis-server /m, 'redis-server'],
];

/** Why blocks cannot run on this machine, or false. */
export function missingFor(blocks: readonly Block[]): string | false {
  const code = blocks.map((block) => block.code).join('');
  const programs = needs.flatMap(([words, ...its]) => (words.test(code) ? its : []));
  return skipWithout(...programs) || (code.includes('.bin/lm ') && noClients);
}

/** What was done before the first block of a page. */
export function startedBefore(page: string): readonly Block[] {
  const start = (code: string): Block[] => {
    return [{ language: 'sh', code: `${code}\n`, line: 0, isOutput: false }];
  };
  const name = /^docs\/guide\/(.*)\.md$/.exec(page)?.[1] ?? '';
  if (plain.split(' ').includes(name)) return start('npm start');
  if (demo.split(' ').includes(name)) {
    return start('npm start -- --demo --until 2026-10-31');
  }
  if (page !== 'docs/operate/sign-in.md') return [];
  return start('npx coffer user create --email ann@example.com --name Ann');
}
