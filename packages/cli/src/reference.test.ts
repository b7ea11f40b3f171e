import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { settings } from '@coffer/server/src/settings.ts';
import { readCommands } from './testing/help.ts';

const docs = join(import.meta.dirname, '../../../docs/reference');
const commandText = readFileSync(join(docs, 'command.md'), 'utf8');
const settingsText = readFileSync(join(docs, 'settings.md'), 'utf8');

/** Options of every command, which the reference describes once, above the commands. */
const commonOptions = ['--database', '--help'];
/** Options that it describes there for the commands that have them. */
const sharedOptions = [...commonOptions, '--email', '--book'];

function sectionsOf(text: string): Map<string, string> {
  const [, ...sections] = text.split(/^## coffer /m);
  return new Map(
    sections.map((section) => [section.slice(0, section.indexOf('\n')), section] as const),
  );
}

/** The flags in a text. A message in a transcript can name flags of other commands. */
function flagsIn(text: string): string[] {
  return [
    ...new Set(
      [...text.replaceAll(/^```[^]*?^```/gm, '').matchAll(/(?<![\w-])--[a-z][a-z-]*/g)].map(
        ([flag]) => flag,
      ),
    ),
  ];
}

const all = await readCommands();
/** Those that can be run. */
const commands = new Map(
  [...all].filter(([name]) => ![...all.keys()].some((each) => each.startsWith(`${name} `))),
);
commands.delete('');

test('the reference has a section for each command and no other', () => {
  assert.ok(commands.size >= 9, 'the help was parsed');
  assert.deepEqual([...sectionsOf(commandText).keys()].toSorted(), [...commands.keys()].toSorted());
});

for (const [command, options] of commands) {
  test(`the reference lists the options of coffer ${command} and no other`, () => {
    const named = flagsIn(sectionsOf(commandText).get(command) ?? '');
    const own = options.filter((flag) => !sharedOptions.includes(flag));
    assert.deepEqual(
      own.filter((flag) => !named.includes(flag)),
      [],
      'missing',
    );
    assert.deepEqual(
      named.filter((flag) => !options.includes(flag)),
      [],
      'too many',
    );
  });
}

test('the introduction is true of all commands', () => {
  for (const [command, options] of commands) {
    for (const flag of commonOptions) {
      // It has --from and --to.
      const isTaken = command !== 'move' || flag !== '--database';
      assert.equal(options.includes(flag), isTaken, `${command} ${flag}`);
    }
  }
  const [introduction = ''] = commandText.split(/^## /m);
  const known = [...all.values()].flat();
  assert.deepEqual(
    flagsIn(introduction).filter((flag) => !known.includes(flag)),
    [],
  );
});

test('coffer serve has no flag for a secret setting', () => {
  const secrets = Object.values(settings).filter(({ flag }) => flag === null);
  assert.deepEqual(
    secrets.map(({ variable }) => variable),
    ['ENCRYPTION_KEY'],
  );
  assert.ok(!commands.get('serve')?.includes('--encryption-key'));
});

test('the reference has a row for each setting with its flag and default, and no other', () => {
  const rows = [...settingsText.matchAll(/^\| `([^`]+)` +\| (`[^`]+`|none) +\| (\S+) +\|/gm)];
  const documented = rows.map(([, variable, flag, fallback]) => [variable, flag, fallback]);
  const expected = Object.values(settings).map(({ variable, flag, placeholder, fallback }) => [
    variable,
    flag === null ? 'none' : `\`${flag} ${placeholder}\``,
    fallback === '' ? 'none' : `\`${fallback}\``,
  ]);
  assert.deepEqual(documented, expected);
});
