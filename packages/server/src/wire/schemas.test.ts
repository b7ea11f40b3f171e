import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import Schema from 'typebox/schema';
import { components, described, describedCoffer } from '../resources/index.ts';
import { transactionExamples } from '../resources/transactions/examples.ts';
import { writeExamples } from '../resources/transactions/requests/examples.ts';
import { categoryExamples } from '../resources/categories/examples.ts';
import { historyExamples } from '../resources/balance-history/examples.ts';
import { historyExamples as changeExamples } from '../resources/history/examples.ts';
import { changeExamples as feedExamples } from '../resources/changes/examples.ts';
import { cryptoExamples } from '../resources/crypto/examples.ts';
import { previewExamples } from '../resources/imports/preview-examples.ts';
import { selectionExamples } from '../resources/transactions/selection/examples.ts';
import { importExamples } from '../resources/imports/examples.ts';
import { sessionExamples } from '../resources/sessions/examples.ts';
import { passkeyExamples } from '../resources/passkeys/examples.ts';
import { tokenExamples } from '../resources/tokens/examples.ts';
import { ruleExamples } from '../resources/rules/examples.ts';
import { asJson, type SchemaJson } from './schema-json.ts';
import { componentName } from './schema.ts';
import type { Example } from './examples.ts';
import { responsesOf } from './operation.ts';
import { resolveResponse } from './responses.ts';

type Name = keyof typeof components;
type Value = Record<string, unknown>;
type Group = readonly [component: string | undefined, Readonly<Record<string, Example>>];

/** The examples of all bodies of requests and responses. */
const all = [...described.operations, ...describedCoffer.operations];
const groups = all.flatMap((operation): Group[] => {
  const { body, bodyExamples = {} } = operation.declaration;
  const responses = Object.values(responsesOf(operation)).map(resolveResponse);
  return [
    ...responses.map(({ component, examples = {} }): Group => [component, examples]),
    [body && componentName(body), bodyExamples],
  ];
});
const samples = groups.flatMap(([name, examples]) =>
  Object.values(examples).map(({ value }) => ({ name: name as Name, value: value as Value })),
);

const [saved, plaid, manualCrypto, syncedCrypto, deleted] =
  historyExamples.list.all.value.balance_history;
const { actions, conditions } = ruleExamples.insert.category.value;
const shared = ruleExamples.insert.split.value.actions.split;
const [previewed] = ruleExamples.preview.one.value.transactions;

const [change] = changeExamples.list.newest.value.history;

const shownImport = previewExamples.preview.may.value;

/** A value for each object of balance history and rules that is only a part of others. */
const parts = {
  RecordChange: feedExamples.list.some.value.changes[0],
  AccountHistory: saved,
  ManualSource: saved?.source,
  PlaidSource: plaid?.source,
  ManualCryptoSource: manualCrypto?.source,
  SyncedCryptoSource: syncedCrypto?.source,
  DeletedSource: deleted?.source,
  HistoricalBalance: saved?.balances[0],
  CurrentBalance: saved?.balances[1],
  BalanceHistoryEntryUpdate: historyExamples.update.months.value.balances[0],
  RuleTextCondition: conditions.payee,
  RuleAmountCondition: { min: '1.0000', max: '20.0000', sign: 'debit' },
  RuleConditions: { ...conditions, category_id: 12 },
  RuleActions: actions,
  RulePart: shared[1],
  RuleEffect: previewed?.before,
  RulePreviewPart: { amount: '2.2500', payee: 'Landlord', category_id: 7, notes: null },
  RulePreviewTransaction: previewed,
  Session: sessionExamples.list.sessions.value.sessions[0],
  SessionUser: sessionExamples.state.signedIn.value.user,
  SessionBook: sessionExamples.state.signedIn.value.book,
  Passkey: passkeyExamples.list.passkeys.value.passkeys[0],
  AccessToken: tokenExamples.list.tokens.value.tokens[0],
  Actor: change.actor,
  HistoryEntry: change,
  HistoryRecord: changeExamples.version.renamed.value.records[0],
  TransactionChange: changeExamples.transaction.renamed.value.history[0],
  TransactionMonth: selectionExamples.months.months.value.months[0],
  TransactionSum: selectionExamples.sums.byMonth.value.sums[0],
  Payee: selectionExamples.payees.corner.value.payees[0],
  ImportUpload: { file: 'Date,Payee,Amount', account: 'Checking' },
  ImportOptions: shownImport.options,
  ImportMapping: shownImport.mapping,
  ImportSum: shownImport.sums[0],
  ImportPreviewRow: shownImport.rows[0],
};

/** One value for every component that is an object. */
const group = transactionExamples.one.group.value;
const receipt = transactionExamples.one.receipt.value as unknown as Value & { files: Value[] };
const bitcoin = cryptoExamples.balance.bitcoin.value;
const objects: readonly (readonly [Name, Value])[] = [
  ...samples.map(({ name, value }) => [name, value] as const),
  ['ChildTransaction', group.children?.[0] ?? {}],
  ['TransactionAttachment', receipt.files[0] ?? {}],
  ['ChildCategory', categoryExamples.one.category.value],
  ['TransactionInsert', { date: '2026-03-14', amount: 7.4, notes: null }],
  ['TransactionUpdateWithId', { id: 5120, category_id: null }],
  ['SkippedTransaction', writeExamples.inserted.skipped.value.skipped_duplicates[0] ?? {}],
  ['SplitPart', { amount: '1.0000', notes: null }],
  ['ErrorDetail', { errMsg: 'No' }],
  ['UndoConflict', importExamples.undone.kept.value.conflicts[0]],
  ['BlockedRecord', { record: 'budgets', id: 4, key: { start_date: '2026-01-01' } }],
  ...(Object.entries(parts) as (readonly [Name, Value])[]),
];

const validators = new Map<Name, { Check(value: unknown): boolean }>();

function accepts(name: Name, value: unknown): boolean {
  const known = validators.get(name) ?? compile(name);
  validators.set(name, known);
  return known.Check(value);
}

function compile(name: Name) {
  const document = { components: { schemas: components }, $ref: `#/components/schemas/${name}` };
  return Schema.Compile(JSON.parse(JSON.stringify(document)));
}

function shape(name: Name): SchemaJson {
  return asJson(components[name]);
}

test('every example agrees with its schema', () => {
  for (const { name, value } of samples)
    assert.ok(accepts(name, value), `${name}: ${JSON.stringify(value)}`);
});

test('the samples cover every object of the document', () => {
  const covered = new Set(objects.map(([name]) => name));
  for (const name of Object.keys(components) as Name[])
    assert.ok(covered.has(name) || name === 'Currency' || name.endsWith('V1'), name);
});

function without(value: object, key: string): object {
  return Object.fromEntries(Object.entries(value).filter(([name]) => name !== key));
}

test('an object without a key is refused exactly if the key is required', () => {
  for (const [name, value] of objects)
    for (const key of new Set([...(shape(name).required ?? []), ...Object.keys(value)])) {
      const isOptional = shape(name).required?.includes(key) !== true;
      assert.equal(accepts(name, without(value, key)), isOptional, `${name} without ${key}`);
    }
});

test('an unknown key is refused everywhere but in error objects', () => {
  const anyKey = fc.string({ minLength: 1 }).filter((key) => key !== '__proto__');
  fc.assert(
    fc.property(
      fc.constantFrom(...objects),
      anyKey,
      fc.jsonValue(),
      ([name, value], key, extra) => {
        fc.pre(!(key in (shape(name).properties ?? {})));
        const open = name === 'ErrorBody' || name === 'ErrorDetail';
        return accepts(name, { ...value, [key]: extra }) === open;
      },
    ),
  );
});

test('null is accepted only where the schema allows it', () => {
  for (const [name, value] of objects)
    for (const [key, property] of Object.entries(shape(name).properties ?? {})) {
      const takesAll = Object.keys(property).every((word) => word === 'description');
      const allowed =
        takesAll ||
        [property, ...(property.anyOf ?? [])].some(({ type }) => [type].flat().includes('null'));
      assert.equal(accepts(name, { ...value, [key]: null }), allowed, `${name}.${key}`);
    }
});

test('metadata may be any object or null, and nothing else', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (metadata) => {
      const isObject = typeof metadata === 'object' && !Array.isArray(metadata);
      for (const key of ['plaid_metadata', 'custom_metadata'])
        assert.equal(accepts('Transaction', { ...receipt, [key]: metadata }), isObject);
    }),
  );
});

test('an amount is text with exactly four decimals', () => {
  for (const amount of ['0.0000', '-13.5700', '1234567890123.4567'])
    assert.ok(accepts('Transaction', { ...receipt, amount }), amount);
  const others = [1, '1', '1.00', '1.00000', '.5000', '01.0000', '+1.0000', '1e4', '', '1.0000\n'];
  for (const amount of others)
    assert.ok(!accepts('Transaction', { ...receipt, amount }), String(amount));
});

test('a quantity is text with exactly eighteen decimals, never negative', () => {
  const fits = (balance: unknown) => accepts('SyncedCryptoBalance', { ...bitcoin, balance });
  for (const balance of ['0.000000000000000000', '123456789012345678.000000000000000001'])
    assert.ok(fits(balance), balance);
  for (const balance of [
    ...[1, '1', '1.0', '1.00000000000000000', '1.0000000000000000000', '.000000000000000001'],
    ...['01.000000000000000000', '-1.000000000000000000', '1.00000000000000000a', '1e-18'],
  ])
    assert.ok(!fits(balance), String(balance));
});

test('a symbol has 1 to 25 characters, a name 1 to 45, an id at CoinGecko 1 to 100', () => {
  for (const [key, most] of [
    ['symbol', 25],
    ['name', 45],
    ['coingecko_id', 100],
  ] as const)
    for (const length of [0, 1, most, most + 1])
      assert.equal(
        accepts('SyncedCryptoBalance', { ...bitcoin, [key]: 'x'.repeat(length) }),
        length > 0 && length <= most,
        `${key} ${length}`,
      );
});

test('dates are calendar dates, instants are in UTC with milliseconds', () => {
  for (const date of ['2026-02-30', '2026-2-3', '20260203', '2026-02-03T00:00:00Z', '2026-02-03\n'])
    assert.ok(!accepts('Transaction', { ...receipt, date }), date);
  for (const created_at of ['2026-02-03', '2026-02-03T10:00:00Z', '2026-02-03T10:00:00.000+01:00'])
    assert.ok(!accepts('Transaction', { ...receipt, created_at }), created_at);
});

test('currencies and ids out of bounds are refused, and errors without an entry', () => {
  for (const currency of ['USD', 'xxx', null])
    assert.ok(!accepts('Transaction', { ...receipt, currency }));
  for (const id of [0, -1, 1.5, 2 ** 53, '1'])
    assert.ok(!accepts('Transaction', { ...receipt, id }));
  assert.equal(accepts('ErrorBody', { message: 'Not Found', errors: [] }), false);
});
