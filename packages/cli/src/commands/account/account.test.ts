import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  coffer,
  jsonLines,
  makeFolder,
  newBook,
  runCoffer,
  writeLines,
} from '../../testing/run-coffer.ts';

const list = async (whose: readonly string[]) =>
  jsonLines(await coffer('account', 'list', '--json', ...whose));

test('an account is proved by the balances of its statements, or the wrong day is named', async () => {
  const whose = await newBook();
  const statement = (closing: string) =>
    writeLines(
      makeFolder(),
      'may.sta',
      ':20:1',
      ':25:10020030/1234567',
      ':28C:1/1',
      ':60F:C260430EUR10,00',
      ':61:2605020502D2,50NMSCNONREF',
      ':86:Shop',
      `:62F:C260531EUR${closing}`,
      '-',
    );
  await coffer('import', statement('7,50'), ...whose);
  const [account] = await list(whose);
  assert.equal(account!['balance'], '7.5000');
  const name = account!['name'] as string;
  const proved = await coffer('account', 'prove', '1', ...whose);
  assert.equal(proved, `The balances of "${name}" are proved until 2026-05-31\n`);
  await coffer('import', statement('7,00'), ...whose);
  const { code, stdout, stderr } = await runCoffer(['account', 'prove', '1', ...whose]);
  assert.deepEqual([code, stdout], [1, '2026-04-30 to 2026-05-31: broken, -0.5000; missing\n']);
  assert.match(stderr, /wrong from 2026-05-31 on, by -0\.5000/);
  assert.equal((await list(whose))[0]!['balance'], '7.0000');
});
