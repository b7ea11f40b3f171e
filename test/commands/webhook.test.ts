import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { startReceiver } from '../../packages/server/src/webhooks/testing/receiver.ts';
import { makeBook, makeFolder, runCoffer } from '../../packages/cli/src/testing/run-coffer.ts';
import type { Outcome } from '../../packages/cli/src/testing/run-coffer.ts';

const receiver = await startReceiver();
after(() => receiver.close());
const whose = await makeBook(makeFolder());
type Environment = Readonly<Record<string, string>>;
const environment = {
  ENCRYPTION_KEY: 'a5'.repeat(32),
  WEBHOOK_PRIVATE_TARGETS: '127.0.0.1',
};

function webhook(args: readonly string[], more: Environment = environment): Promise<Outcome> {
  return runCoffer(['webhook', ...args, ...whose], { environment: more });
}
const shown = async (): Promise<Record<string, unknown>> =>
  JSON.parse((await webhook(['show', '1', '--json'])).stdout) as Record<string, unknown>;

test('a webhook is added, listed, changed, tested and removed', async () => {
  const filter = ['--record', 'tags', '--record', 'categories', '--kind', 'made'];
  const added = await webhook(['add', receiver.url, '--description', 'Mine', ...filter]);
  assert.deepEqual(
    [added.code, added.stderr],
    [0, 'Added the webhook 1 to the book "My book". Its secret is not shown again:\n'],
  );
  assert.match(added.stdout, /^whsec_[A-Za-z0-9+/]{43}=\n$/);
  const { records, kinds, description, status, position } = await shown();
  assert.deepEqual(
    [records, kinds, description, status],
    [['tags', 'categories'], ['made'], 'Mine', 'enabled'],
  );
  const { stdout } = await webhook(['list']);
  assert.match(stdout, /^ID {2}URL.*\n 1 {2}http:.*Mine +enabled +0 +-\n$/);
  assert.match((await webhook(['show', '1'])).stdout, /\nkinds: made\n/);

  assert.equal((await webhook(['disable', '1'])).stderr, 'Disabled the webhook 1\n');
  assert.match(
    (await webhook(['show', '1'])).stdout,
    /\ndisabled: It was disabled on request, at /,
  );
  const after1 = await webhook(['enable', '1', '--after', '1']);
  assert.equal(after1.stderr, 'Enabled the webhook 1\n');
  const moved = await shown();
  assert.equal(moved['status'], 'enabled');
  assert.equal(moved['position'], position);

  const rotated = await webhook(['rotate', '1', '--keep-hours', '0', '--json']);
  const { secret } = JSON.parse(rotated.stdout) as { secret: string };
  assert.notEqual(`${secret}\n`, added.stdout);
  assert.match((await webhook(['ping', '1'])).stderr, /^Delivered: a test message \(status 204/);
  receiver.behave(() => 500);
  assert.deepEqual(await webhook(['ping', '1']), {
    code: 1,
    stdout: '',
    stderr: 'Not delivered: a test message. The receiver responded with 500\n',
  });
  const log = (await webhook(['log', '1'])).stdout;
  assert.match(log, /^NUMBER.*\n +2 .* ping +500.*\n +1 .* ping +204/);
  const again = await webhook(['redeliver', '1', '--after', '1']);
  assert.deepEqual(
    [again.code, again.stderr],
    [0, 'The webhook 1 gets the events after 1 again\n'],
  );
  assert.match((await webhook(['redeliver', '1', '--attempt', '1'])).stderr, /is a ping/);
  assert.equal((await webhook(['remove', '1'])).stderr, 'Removed the webhook 1\n');
  assert.equal((await webhook(['list'])).stderr, 'There are no webhooks\n');
});

test('mistakes are refused with their reason', async () => {
  const cases: [args: string[], code: number, stderr: RegExp, more?: Environment][] = [
    [['add', 'http://10.0.0.1/'], 1, /private network/],
    [['add', receiver.url, '--after', '99'], 1, /has only/],
    [['add', receiver.url], 2, /ENCRYPTION_KEY is not set/, {}],
    [['add', 'https://127.0.0.1/'], 1, /private/, { ENCRYPTION_KEY: 'a5'.repeat(32) }],
    [['ping', '1'], 2, /PRIVATE_TARGETS/, { ...environment, WEBHOOK_PRIVATE_TARGETS: 'all' }],
    [['show', 'x'], 2, /not the id of a webhook/],
    [['rotate', '1', '--keep-hours', '200'], 2, /0 to 168/],
  ];
  for (const [args, code, stderr, more] of cases) {
    const outcome = await webhook(args, more);
    assert.equal(outcome.code, code, outcome.stderr);
    assert.match(outcome.stderr, stderr);
  }
});
