import { EventEmitter } from 'node:events';
import type { TestEvent } from 'node:test/reporters';
import { inspect } from 'node:util';
import { send } from './messages.ts';

/** Emits `file` when the results of a file are sent, which is later than its end. */
export const reported = new EventEmitter<{ file: [] }>();

/** Sends the results of tests to the process that started the worker; a test of nesting 0 is a file. */
// eslint-disable-next-line no-restricted-syntax -- node:test looks for the default export of a reporter
export default async function* report(events: AsyncIterable<TestEvent>): AsyncGenerator<string> {
  const [running, names]: [string[], string[]] = [[], []];
  for await (const { type, data } of events) {
    // The order of execution, and the order of the report, which may come later.
    if (type === 'test:dequeue') {
      running.splice(data.nesting, running.length, data.name);
      send({ kind: 'begins', name: running.slice(1).join(' > ') });
    }
    if (type === 'test:start') names.splice(data.nesting, names.length, data.name);
    if (type === 'test:pass' && data.nesting > 0) {
      const skip = reasonOf(data.skip);
      // A suite counts when it was skipped, because its tests are unknown then.
      if (data.details.type !== 'suite' || skip !== null)
        send({ kind: 'passed', name: data.name, skip });
    }
    if (type === 'test:fail') sendFailure(names.slice(1, data.nesting + 1), data.details.error);
    if ((type === 'test:pass' || type === 'test:fail') && data.nesting === 0) reported.emit('file');
  }
  yield '';
}

function reasonOf(skip: string | boolean = false): string | null {
  return skip === false ? null : skip === true ? '' : skip;
}

/** A test that failed only because a test in it failed is not reported again. */
function sendFailure(names: readonly string[], error: Error & { failureType?: string }): void {
  if (error.failureType === 'subtestsFailed') return;
  const name = names.length === 0 ? 'the file itself' : names.join(' > ');
  send({ kind: 'failed', name, error: inspect(error.cause ?? error) });
}
