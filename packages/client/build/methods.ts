/*
 * Writes the methods that only send a request to src/resources/openapi-methods.ts, a part of `npm run openapi`.
 *
 * The name of a method follows from the path of its operation, so that a new operation needs no line here: the tables
 * below have the names that the client had before, and those that say more. The file is checked in; a test fails when
 * it differs from the documents.
 */
import { readFile, writeFile } from 'node:fs/promises';
import { documentUrls, formatted } from './types.ts';

/** The file with the methods. */
export const methodsUrl = new URL('../src/resources/openapi-methods.ts', import.meta.url);

/** The resources whose names are not those of their paths. */
const resources: Readonly<Record<string, string>> = {
  '/v2/manual_accounts': 'accounts',
  '/v2/plaid_accounts': 'syncedAccounts',
  '/v2/crypto/manual': 'crypto.manual',
  '/v2/crypto/synced': 'crypto.synced',
};

/** Methods whose names do not follow from their paths, by their operations. */
const names: Readonly<Record<string, string>> = {
  getMe: 'me',
  getBudgetSummary: 'summary',
  upsertBudget: 'budgets.set',
  ungroupTransactions: 'transactions.ungroup',
  unsplitTransaction: 'transactions.unsplit',
  getTransactionAttachmentUrl: 'transactions.attachmentUrl',
  deleteTransactionAttachment: 'transactions.deleteAttachment',
  deleteBalanceHistoryEntry: 'balanceHistory.deleteEntry',
  updateBalanceHistoryDetails: 'balanceHistory.updateDeleted',
  getCryptoSyncedBalanceBySymbol: 'crypto.synced.balance',
  mergeCategory: 'coffer.mergeCategory',
  mergeManualAccount: 'coffer.mergeAccount',
  updatePlaidAccount: 'coffer.updateSyncedAccount',
  exportBook: 'coffer.export',
  getTransactionSums: 'coffer.sums',
  getPayees: 'coffer.payees',
  getBookBudgetSettings: 'coffer.budgetSettings.get',
  getTransactionHistory: 'coffer.history.ofTransaction',
  undoChange: 'coffer.history.undoChange',
  undoLastChange: 'coffer.history.undoLastChange',
  discardImport: 'coffer.imports.discard',
  getTransactionsAsOf: 'coffer.transactions.search',
  editTransactions: 'coffer.transactions.updateMany',
  previewBulkChange: 'coffer.transactions.previewBulk',
  changeTransactionsInBulk: 'coffer.transactions.changeBulk',
};

/** Operations whose methods do more than send a request. */
const byHand: ReadonlySet<string> = new Set([
  ...['getAllTransactions', 'createNewTransactions', 'updateTransactions', 'deleteTransactions'],
  ...['splitTransaction', 'attachFileToTransaction'],
  ...['getBalanceHistoryForAccount', 'getBalanceHistoryForCryptoSynced'],
  ...['upsertBalanceHistoryForAccount', 'upsertBalanceHistoryForCryptoSynced'],
  ...['deleteBalanceHistoryForAccount', 'deleteBalanceHistoryForCryptoSynced'],
  ...['orderRules', 'deleteRule', 'previewImport', 'getChanges'],
]);

/** Operations whose body may be left out: all its properties may. */
const withOptionalBody: ReadonlySet<string> = new Set(['previewRules', 'applyRules']);

/** Interfaces of the package, by the resources whose methods they have. Others are a part of `ClientMethods`. */
const interfaces: Readonly<Record<string, string>> = {
  categories: 'Categories',
  tags: 'Tags',
  accounts: 'Accounts',
  syncedAccounts: 'SyncedAccounts',
  recurringItems: 'RecurringItems',
  budgets: 'Budgets',
  crypto: 'Crypto',
  'crypto.manual': 'ManualCryptos',
  'crypto.synced': 'SyncedCryptos',
  cryptocurrencies: 'Cryptocurrencies',
  'coffer.recurringItems': 'RecurringDefinitions',
  'coffer.history': 'History',
  'coffer.webhooks': 'Webhooks',
};

/** Schemas that have another name in the package. */
const schemaNames: Readonly<Record<string, string>> = {
  ManualAccount: 'Account',
  ManualAccountInsert: 'AccountInsert',
  ManualAccountUpdate: 'AccountUpdate',
  PlaidAccount: 'SyncedAccount',
  SyncedCryptoAccount: 'SyncedCrypto',
  ManualCryptoAccount: 'ManualCrypto',
  RecurringItemDetails: 'RecurringDefinition',
  RecurringItemInsert: 'RecurringInsert',
  RecurringItemUpdate: 'RecurringUpdate',
};

/** Queries that have a name in the package, by their operations. */
const queryNames: Readonly<Record<string, string>> = {
  deleteManualAccount: 'AccountDeletion',
  triggerPlaidAccountFetch: 'AccountFetch',
  getBalanceHistory: 'BalanceHistoryQuery',
  deleteCryptoManual: 'ManualCryptoDeletion',
  getAllCategories: 'CategoryQuery',
  deleteCategory: 'CategoryDeletion',
  deleteTag: 'TagDeletion',
  getAllRecurring: 'RecurringItemQuery',
  getBudgetSummary: 'BudgetSummaryQuery',
  exportBook: 'ExportQuery',
  getTransactionSums: 'SumsQuery',
  getPayees: 'PayeesQuery',
  getAllImports: 'ImportQuery',
  undoImport: 'UndoQuery',
  getImportRows: 'RowsQuery',
  getHistory: 'HistoryQuery',
  getHistoryVersion: 'VersionQuery',
  getTransactionHistory: 'TransactionHistoryQuery',
  getTransactionsAsOf: 'EarlierTransactionQuery',
  getTransactionMonths: 'MonthsQuery',
  getTransactionAsOf: 'EarlierQuery',
  getWebhookAttempts: 'AttemptQuery',
};

interface Schema {
  readonly $ref?: string;
  readonly type?: string;
  readonly description?: string;
  readonly required?: readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
}

interface Content {
  readonly content?: Readonly<Record<string, { readonly schema: Schema }>>;
}

interface Response extends Content {
  readonly $ref?: string;
  readonly description: string;
}

interface Operation {
  readonly operationId: string;
  readonly summary: string;
  readonly description?: string;
  readonly tags: readonly [string];
  readonly security?: readonly object[];
  readonly parameters?: readonly {
    readonly in: string;
    readonly name: string;
    readonly required: boolean;
    readonly schema: Schema;
  }[];
  readonly requestBody?: Content & { readonly required?: boolean };
  readonly responses: Readonly<Record<string, Response>>;
}

interface OpenApiDocument {
  readonly tags: readonly { readonly name: string; readonly description: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: {
    readonly schemas: Readonly<Record<string, Schema>>;
    readonly responses: Readonly<Record<string, Response>>;
  };
}

/** A method, or the methods of a resource by their names. */
type Member = { readonly type: string; readonly code: string; readonly doc: string } | Members;
interface Members {
  readonly name: string;
  readonly doc: string;
  readonly members: Map<string, Member>;
}

const head = `/*
 * The methods that only send a request. Generated by build/methods.ts from docs/openapi.json and
 * docs/coffer-openapi.json: do not edit.
 */
/* eslint-disable max-lines-per-function -- generated */
import type { CallOptions } from '../sending/options.ts';
import { file, listShape, nothing, objectShape, recordShape } from './resource.ts';
import { isObject } from '../sending/transport.ts';
import type { Call, QueryOf, Schema } from './resource.ts';
`;

/** Generates the content of src/resources/openapi-methods.ts from the API documents. */
export async function makeMethods(): Promise<string> {
  const file = new GeneratedFile();
  for (const url of documentUrls) {
    const document = JSON.parse(await readFile(url, 'utf8')) as OpenApiDocument;
    for (const [path, operations] of Object.entries(document.paths))
      for (const [method, operation] of Object.entries(operations))
        // The client has no session: operations for one have a security of their own.
        if (!byHand.has(operation.operationId) && operation.security === undefined)
          file.add(document, { path, method, operation });
  }
  return formatted(head + file.text(), methodsUrl);
}

interface Declared {
  readonly path: string;
  readonly method: string;
  readonly operation: Operation;
}

/** The name of a method, with those of its resources: `crypto.manual.get`. */
function nameOf({ path, method, operation }: Declared): string {
  const named = names[operation.operationId];
  if (named !== undefined) return named;
  const prefix = Object.keys(resources).find((each) => `${path}/`.startsWith(`${each}/`));
  const [api, first = '', ...others] = path.slice(1).split('/');
  const own = prefix === undefined ? camelCase(first) : resources[prefix]!;
  const rest = prefix === undefined ? others : path.slice(prefix.length).split('/').slice(1);
  const last = rest.at(-1);
  const isVerb = last !== undefined && !last.startsWith('{');
  const usual = { get: last === undefined ? 'list' : 'get', post: 'create', put: 'update' };
  const verb = isVerb ? camelCase(last) : { ...usual, delete: 'delete' }[method];
  return `${api === 'coffer' ? 'coffer.' : ''}${own}.${verb}`;
}

function camelCase(text: string): string {
  return text.replaceAll(/[_-](\w)/g, (_, letter: string) => letter.toUpperCase());
}

class GeneratedFile {
  readonly #aliases = new Map<string, string>();
  readonly #root: Members = {
    name: '',
    doc: comment('The methods of a client that only send a request.'),
    members: new Map(),
  };

  add(document: OpenApiDocument, declared: Declared): void {
    const path = nameOf(declared).split('.');
    let parent = this.#root;
    for (const [index, part] of path.slice(0, -1).entries()) {
      const name = path.slice(0, index + 1).join('.');
      const tag = document.tags.find((each) => each.name === declared.operation.tags[0]);
      const doc = name === 'coffer' ? "Coffer's own API." : tag!.description;
      const made = { name, doc: comment(doc), members: new Map<string, Member>() };
      const member = parent.members.get(part) ?? made;
      if (!('members' in member)) throw new Error(`${name} is a method and a resource`);
      parent.members.set(part, member);
      parent = member;
    }
    const name = path.at(-1)!;
    if (parent.members.has(name)) throw new Error(`Two operations are ${path.join('.')}`);
    parent.members.set(name, this.#method(document, declared));
  }

  text(): string {
    const declared: string[] = [];
    const root = typeOf(this.#root, declared);
    return [
      ...[...this.#aliases]
        .toSorted(([one], [other]) => (one < other ? -1 : 1))
        .map(([, text]) => text),
      ...declared,
      `${this.#root.doc}export interface ClientMethods ${root}`,
      comment('The methods of a client; `coffer` calls the API of that name.') +
        `export function makeMethods(v2: Call, coffer: Call): ClientMethods { return ${codeOf(this.#root)}; }`,
    ].join('\n');
  }

  #method(document: OpenApiDocument, { path, method, operation }: Declared): Member {
    const { operationId: id, parameters = [] } = operation;
    const [, api, ...parts] = path.split('/');
    const ids = parameters.filter((each) => each.in === 'path');
    const query = parameters.filter((each) => each.in === 'query');
    const body = this.#body(document, operation);
    const given = [
      ...ids.map(({ name, schema }): [string, string] => [
        camelCase(name),
        schema.type === 'integer' ? 'number' : 'string',
      ]),
      ...(body === null ? [] : [[`body${body.isOptional ? '?' : ''}`, body.type] as const]),
      ...(query.length === 0
        ? []
        : [[`query${query.some((each) => each.required) ? '' : '?'}`, this.#query(id)] as const]),
      ['options?', 'CallOptions'] as const,
    ];
    const sentPath = parts.map((part) => {
      const parameter = ids.find(({ name }) => part === `{${name}}`);
      if (parameter === undefined) return JSON.stringify(part);
      const name = camelCase(parameter.name);
      if (parameter.schema.type !== 'integer') return name;
      return name === 'id' ? '{ id }' : `{ id: ${name} }`;
    });
    const { shape, type, isFile } = this.#result(document, operation);
    const sent = [
      ...(method === 'get' ? [] : [`method: '${method.toUpperCase()}'`]),
      ...(query.length === 0 ? [] : ['query']),
      ...(body === null ? [] : ['body']),
      ...(isFile ? ['isFile: true'] : []),
    ];
    const options = sent.length === 0 ? 'options' : `{ ...options, ${sent.join(', ')} }`;
    const taken = given.map(([name]) => (name === 'body?' ? 'body = {}' : name.replace('?', '')));
    return {
      doc: comment(documentation(document, operation)),
      type: `(${given.map((pair) => pair.join(': ')).join(', ')}): Promise<${type}>`,
      code: `(${taken.join(', ')}) => ${api}(${shape}, [${sentPath.join(', ')}], ${options})`,
    };
  }

  /** The type of a body; null when there is none. What has a default may be left out. */
  #body(
    document: OpenApiDocument,
    { operationId, requestBody }: Operation,
  ): { readonly type: string; readonly isOptional: boolean } | null {
    if (requestBody === undefined) return null;
    const name = schemaName(requestBody.content!['application/json']!.schema);
    const type = this.#schema(document, name);
    if (requestBody.required === true)
      return { type, isOptional: withOptionalBody.has(operationId) };
    const hasDefaults = (document.components.schemas[name]!.required ?? []).length > 0;
    return { type: hasDefaults ? `Partial<${type}>` : type, isOptional: true };
  }

  /** What a method resolves to: a list, a record or another object, a file, or nothing. */
  #result(
    document: OpenApiDocument,
    { responses }: Operation,
  ): { readonly shape: string; readonly type: string; readonly isFile?: boolean } {
    const contents = Object.entries(responses)
      .filter(([status]) => status.startsWith('2'))
      .flatMap(([, { content }]) => (content === undefined ? [] : [content]));
    const schemas = contents.flatMap((each) => each['application/json']?.schema ?? []);
    if (contents.length === 0) return { shape: 'nothing', type: 'void' };
    if (schemas.length === 0) return { shape: 'file', type: 'File', isFile: true };
    const all = [...new Set(schemas.map(schemaName))];
    const [name = ''] = all;
    const schema = document.components.schemas[name]!;
    if (name.endsWith('ListResponse')) {
      const [[key, list] = ['', {}]] = Object.entries<Schema>(schema.properties ?? {});
      const item = schemaName(list.items!);
      const type = this.#schema(document, item);
      const shape = `listShape<${type}>('${key}'${hasId(document, item) ? '' : ', isObject'})`;
      return { shape, type: `readonly ${type}[]` };
    }
    const type = all.map((each) => this.#schema(document, each)).join(' | ');
    const make = hasId(document, name) ? 'recordShape' : 'objectShape';
    return { shape: `${make}<${type}>('${name}')`, type };
  }

  /** The name of a schema in the package. */
  #schema(document: OpenApiDocument, name: string): string {
    const own = schemaNames[name] ?? name;
    const { description = '' } = document.components.schemas[name]!;
    this.#aliases.set(own, `${comment(description)}export type ${own} = Schema<'${name}'>;`);
    return own;
  }

  /** The type of a query. */
  #query(id: string): string {
    const own = queryNames[id];
    if (own === undefined) return `QueryOf<'${id}'>`;
    const doc = comment(`Query parameters of the operation \`${id}\`.`);
    this.#aliases.set(own, `${doc}export type ${own} = QueryOf<'${id}'>;`);
    return own;
  }
}

function schemaName({ $ref = '' }: Schema): string {
  return $ref.replace('#/components/schemas/', '');
}

function hasId({ components }: OpenApiDocument, name: string): boolean {
  const { required = [], properties = {} } = components.schemas[name]!;
  return required.includes('id') && properties['id']?.type === 'integer';
}

/** The type of a resource. Adds those of its parts that have a name to `declared`. */
function typeOf({ members }: Members, declared: string[]): string {
  const lines = [...members].map(([name, member]) => {
    if (!('members' in member)) return `${member.doc}${name}${member.type};`;
    const own = interfaces[member.name];
    const type = typeOf(member, declared);
    if (own !== undefined) declared.push(`${member.doc}export interface ${own} ${type}`);
    return `${member.doc}readonly ${name}: ${own ?? type};`;
  });
  return `{\n${lines.join('\n')}\n}`;
}

function codeOf({ members }: Members): string {
  const lines = [...members].map(
    ([name, member]) => `${name}: ${'members' in member ? codeOf(member) : member.code},`,
  );
  return `{\n${lines.join('\n')}\n}`;
}

/** What every operation can respond is not repeated. */
const usualRefusals = /BadRequest|Unauthorized|TooManyRequests|InternalServerError|KeyReused/;

function documentation(
  { components }: OpenApiDocument,
  { summary, description = '', responses }: Operation,
): string {
  const refusals = Object.entries(responses)
    .filter(([status, { $ref = '' }]) => /^4|502|504/.test(status) && !usualRefusals.test($ref))
    .map(([status, response]) => {
      const name = response.$ref?.replace('#/components/responses/', '');
      const text = name === undefined ? response : components.responses[name]!;
      return `ApiError ${status}: ${text.description}`;
    });
  return [`${summary}.`, description, ...refusals].filter((text) => text !== '').join(' ');
}

/** A docstring in lines of at most 100 columns. */
function comment(text: string): string {
  const words = text.replaceAll('*/', '* /').split(/\s+/);
  const lines = [''];
  for (const word of words) {
    const line = `${lines.at(-1)!} ${word}`;
    if (line.length <= 100) lines[lines.length - 1] = line;
    else lines.push(` ${word}`);
  }
  if (lines.length === 1) return `/**${lines[0]!} */\n`;
  return `/**\n${lines.map((line) => ` *${line}`).join('\n')}\n */\n`;
}

if (import.meta.main) await writeFile(methodsUrl, await makeMethods());
