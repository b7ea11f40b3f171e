import { noClients } from '../../clients/load.ts';
import { skipWithout } from '../../nodes/proxies.ts';
import type { Block } from './page.ts';
import type { Machine } from './run-page.ts';

export interface Exemption {
  readonly page: string;
  /** Text that only these blocks have. */
  readonly words: string;
  readonly reason: string;
}

const noSystemd =
  'systemctl needs a machine that systemd has booted; test/nodes/units.test.ts runs the units';
const noContainers =
  'docker needs a container engine; test/nodes/image.long.test.ts runs the steps of the image';

export const exemptions: readonly Exemption[] = [
  { page: 'docs/operate/running.md', words: 'systemctl', reason: noSystemd },
  { page: 'docs/operate/running.md', words: 'docker compose', reason: noContainers },
  { page: 'docs/operate/many-nodes.md', words: 'systemctl', reason: noSystemd },
  { page: 'docs/operate/many-nodes.md', words: 'docker compose', reason: noContainers },
  { page: 'docs/operate/many-nodes.md', words: '┌─', reason: 'a picture' },
  { page: 'docs/operate/monitoring.md', words: 'systemctl', reason: noSystemd },
  { page: 'docs/operate/upgrading.md', words: 'systemctl', reason: noSystemd },
  {
    page: 'docs/operate/behind-a-proxy.md',
    words: 'location /coffer/',
    reason: 'test/nodes/public-url.test.ts runs nginx by it',
  },
  {
    page: 'docs/operate/doctor.md',
    words: 'to_base: … and 1204 more',
    reason: 'the output for a damaged database; packages/cli/src/commands/doctor tests it',
  },
  {
    page: 'docs/operate/limits.md',
    words: 'ACL SETUSER',
    reason: 'packages/server/src/limiter/redis tests this line of redis.conf',
  },
  {
    page: 'docs/operate/postgresql-backups.md',
    words: '17 3 * * *',
    reason: 'a line of a crontab; the page runs the same command by hand',
  },
  {
    page: 'docs/guide/banks.md',
    words: 'npx coffer sync',
    reason: 'needs a bridge and its setup token; test/commands/sync.test.ts runs the commands',
  },
  {
    page: 'docs/guide/following-changes.md',
    words: 'npx coffer webhook',
    reason: 'needs a receiver; test/commands/webhook.test.ts runs the commands',
  },
  {
    page: 'docs/guide/following-changes.md',
    words: "from 'standardwebhooks'",
    reason: 'needs a library; packages/server/src/connectors/webhooks verifies in the same way',
  },
  {
    page: 'docs/guide/following-changes.md',
    words: '"book.changed"',
    reason: 'a message; packages/server/src/jobs/webhooks tests its form',
  },
  {
    page: 'docs/guide/undo.md',
    words: 'notes was changed since',
    reason: 'a refusal; test/spec/openapi.test.ts compares its form',
  },
  {
    page: 'docs/guide/clients.md',
    words: 'mcpServers',
    reason:
      'settings of another program; test/upstream/preload.test.ts starts the server with them',
  },
];

const command = (code: string): Block => ({
  language: 'sh',
  code: `${code}\n`,
  line: 0,
  isOutput: false,
});

/** Pages that continue where the guide's first page ends: the server is running. */
const continued: Readonly<Record<string, string>> = {
  'docs/guide/importing.md': 'npm start',
  'docs/guide/exporting.md': 'npm start',
  'docs/guide/earlier-states.md': 'npm start',
  'docs/guide/searching.md': 'npm start',
  'docs/guide/client.md': 'npm start',
  'docs/guide/crypto.md': 'npm start',
  'docs/guide/following-changes.md': 'npm start',
  'docs/guide/undo.md': 'npm start',
  'docs/guide/rules.md': 'npm start -- --demo',
  'docs/guide/categories-and-tags.md': 'npm start -- --demo',
  'docs/guide/clients.md': 'npm start -- --demo',
  'docs/guide/reading-transactions.md': 'npm start -- --demo',
  'docs/guide/for-client-makers.md': 'npm start -- --demo',
  'docs/operate/sign-in.md': 'npx coffer user create --email ann@example.com --name Ann',
};

/** The machine for a page: most operating pages expect an installed product. Two pages run the real npx. */
export function machineFor(page: string, clone: string): Machine {
  const isInstalled = page.startsWith('docs/operate/') && page !== 'docs/operate/running.md';
  const hasFastNpx = !['README.md', 'docs/guide/getting-started.md'].includes(page);
  return { clone, isInstalled, hasFastNpx };
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
  const start = continued[page];
  return start === undefined ? [] : [command(start)];
}
