import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { after, test } from 'node:test';
import { makeFolder, runCoffer, typing } from './testing/run-coffer.ts';

const file = join(import.meta.dirname, '../../../docs/reference/command.md');
const blocks = [...readFileSync(file, 'utf8').matchAll(/^```console\n([^]*?)^```/gm)];
/** Commands with their output: `$ coffer user list`, then lines up to the next command. */
const transcripts = blocks.flatMap(([, block = '']) =>
  block
    .split(/^\$ coffer /m)
    .slice(1)
    .map((text) => {
      const [command = '', ...lines] = text.split('\n');
      return { command, output: lines.join('\n') };
    }),
);

const before = process.cwd();
process.chdir(makeFolder());
after(() => process.chdir(before));
const header = 'Date,Payee,Amount\n';
writeFileSync('may.csv', `${header}2026-05-01,Shop,-1.00\n2026-05-02,Shop,-12.5o\n`);
writeFileSync(
  'rates.csv',
  'Date,USD,GBP,XXY,\n2026-06-30,1.1000,0.85,3,\n2026-06-26,1.0900,0.86,3,\n',
);
writeFileSync('wrong.csv', 'Date,USD\n2026-06-30,1;08\n');
writeFileSync('june.csv', `${header}2026-06-01,Shop,-12.50\n2026-06-30,Salary,2500.00\n`);

/** Runs a command, on a terminal if somebody types `reply`, and returns all output in order. */
async function outputOf(command: string, reply: string | undefined): Promise<string> {
  let output = '';
  const stream = new Writable({
    write(chunk, _encoding, done) {
      output += String(chunk);
      done();
    },
  });
  const terminal = reply === undefined ? {} : typing(`${reply}\n`);
  await runCoffer(command.split(' '), { stdout: stream, stderr: stream, ...terminal });
  return output;
}

test('the reference has transcripts', () => assert.ok(transcripts.length >= 10));

// In their order, because a later command works on the records of an earlier one.
for (const { command, output } of transcripts) {
  test(`the reference shows the output of coffer ${command}`, async () => {
    const [, reply] = / to confirm: (.*)\n/.exec(output) ?? [];
    const printed = await outputOf(command, reply);
    // A terminal itself shows what is typed.
    const expected = output.replace(/( to confirm: ).*\n/, '$1');
    const pattern = expected
      .split('…')
      .map((part) => part.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&'));
    assert.match(printed, new RegExp(`^${pattern.join('[^\\n]+')}$`), printed);
  });
}
