import assert from 'node:assert/strict';
import { it } from 'node:test';
import sql from 'sql-template-tag';
import { rows } from '../db/engine.ts';
import { recordingEngine } from '../db/testing/recording-engine.ts';
import { entryOf, ImportBook, onBothEngines } from './testing/import-book.ts';

onBothEngines('rows of the book', (on, name) => {
  it('are not joined with the amounts of a file, whatever the statistics say', async () => {
    const engine = recordingEngine(on.engine);
    const book = await ImportBook.create(engine);
    const entries = Array.from({ length: 20 }, (_, at) => entryOf({ line: at + 2, amount: at }));
    await book.adds(20, entries);
    engine.operation = 'again';
    await book.adds(0, entries);
    const [wanted] = engine.recorded.flatMap(({ operation, step }) =>
      operation === 'again' && 'text' in step && step.text.includes(' wanted') ? [step] : [],
    );
    assert.ok(wanted);
    if (name === 'SQLite') return;
    const plan = await on.engine.read(() => rows<Record<string, string>>(sql`EXPLAIN ${wanted}`));
    const steps = plan.flatMap((each) => Object.values(each)).join('\n');
    assert.match(steps, /hashed SubPlan/);
    assert.doesNotMatch(steps, /Join|Nested Loop/);
  });
});
