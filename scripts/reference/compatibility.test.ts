import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  otherStatus,
  ownStatuses,
  statusDifference,
  unusedStatuses,
} from '../../packages/server/src/http/testing/vendor-differences.ts';
import { vendorOperations } from '../../packages/server/src/http/testing/vendor-document.ts';
import { described } from '../../packages/server/src/all.ts';
import { acceptsKey, responsesOf } from '../../packages/server/src/operations/declaration.ts';
import { compatibilityPage, compatibilityRows } from './compatibility.ts';
import { ownNotes } from './compatibility-notes.ts';

const theirs = new Map(vendorOperations().map(({ name, statuses }) => [name, statuses]));
const ours = described().operations.map((operation) => ({
  name: `${operation.method} ${operation.declaration.path}`,
  isKeyed: acceptsKey(operation),
  statuses: Object.keys(responsesOf(operation)).map(Number),
}));

test('every operation of their document has one row, and the page has every row', () => {
  assert.deepEqual(
    compatibilityRows().map(({ name }) => name),
    [...theirs.keys()],
  );
  const page = compatibilityPage();
  for (const { name, notes } of compatibilityRows()) {
    const [line, another] = page.split('\n').filter((text) => text.startsWith(`| \`${name}\` |`));
    assert.ok(line !== undefined && another === undefined, name);
    assert.equal(line.includes('| same |'), notes.length === 0, name);
    for (const [kind, text] of notes) assert.ok(line.includes(kind) && line.includes(text), text);
  }
});

test('every note belongs to an operation, and every status to an operation that has it', () => {
  for (const name of Object.keys(ownNotes)) assert.ok(theirs.has(name), name);
  for (const place of Object.keys({ ...ownStatuses, ...otherStatus })) {
    const [, name = '', status] = /^(.*) (\d+)$/.exec(place) ?? [];
    const own = ours.find((each) => each.name === name);
    assert.ok(own?.statuses.includes(Number(status)), place);
  }
  for (const place of Object.keys(unusedStatuses)) {
    const [, name = '', status] = /^(.*) (\d+)$/.exec(place) ?? [];
    assert.ok(theirs.get(name)?.includes(Number(status)), place);
    const own = ours.find((each) => each.name === name);
    assert.ok(own !== undefined && !own.statuses.includes(Number(status)), place);
  }
});

test('every status that only one side has is explained', () => {
  for (const { name, isKeyed, statuses } of ours) {
    const documented = theirs.get(name) ?? [];
    const isKnown = (status: number): boolean =>
      documented.includes(status) ||
      otherStatus[`${name} ${status}`] !== undefined ||
      statusDifference(name, status) !== null ||
      // Our document lists 404 for every path with a parameter. Both sides respond with 400.
      (status === 404 && name === 'DELETE /v2/transactions/split/{id}') ||
      // The page explains those of idempotency keys for every POST.
      (isKeyed && (status === 409 || status === 422));
    assert.deepEqual(
      statuses.filter((status) => !isKnown(status)),
      [],
      name,
    );
    const replaced = Object.entries(otherStatus).filter(([place]) => place.startsWith(`${name} `));
    const lost = documented.filter(
      (status) =>
        !statuses.includes(status) &&
        !replaced.some(([, other]) => other === status) &&
        unusedStatuses[`${name} ${status}`] === undefined,
    );
    assert.deepEqual(lost, [], name);
  }
});
