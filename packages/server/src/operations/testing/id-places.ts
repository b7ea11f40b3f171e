import { asJson, componentOf, type SchemaJson } from '../schema.ts';
import type { Described } from '../declaration.ts';
import { operations } from '../../all.ts';
import { bookTables } from '../../db/tables/tables.ts';
import { noServices } from '../../services.ts';

/**
 * The kinds of records that requests name by ids; the ones of one table that operations distinguish are kinds, too. The
 * kind of other records is the name of their table: see {@link creators}.
 */
export type RecordKind =
  | 'transaction'
  | 'sent'
  | 'received'
  | 'split'
  | 'group'
  | 'file'
  | 'manual'
  | 'plaid'
  | 'category'
  | 'categoryGroup'
  | 'tag'
  | 'crypto'
  | 'cryptoManual'
  | 'recurring'
  | 'rule'
  | 'import'
  | 'undoneImport'
  | 'preview'
  | 'webhook'
  | 'connection'
  | 'session'
  | 'passkey'
  | 'token'
  | 'entry'
  | 'anchor'
  | 'deleted';

export interface IdPlace {
  /** `path id`, `query category_id`, `body group_id`, `body children[].id`. */
  readonly place: string;
  /** The kind of the record; `ignored` if the service accepts the property and does not read it. */
  readonly kind: RecordKind | 'ignored';
}

/** Kinds by the names of properties and parameters that mean the same in every operation. */
const byName: Readonly<Record<string, IdPlace['kind']>> = {
  category_id: 'category',
  category_ids: 'category',
  from_category_id: 'category',
  to_category_id: 'category',
  children: 'category',
  tag_id: 'tag',
  tag_ids: 'tag',
  additional_tag_ids: 'tag',
  add_tag_ids: 'tag',
  remove_tag_ids: 'tag',
  tags: 'tag',
  manual_account_id: 'manual',
  manual_account_ids: 'manual',
  asset_id: 'manual',
  plaid_account_id: 'plaid',
  plaid_account_ids: 'plaid',
  into_plaid_id: 'plaid',
  recurring_id: 'recurring',
  transaction_ids: 'transaction',
  sent_id: 'sent',
  received_id: 'received',
  rule_id: 'rule',
  rule_ids: 'rule',
  import_id: 'import',
  file_id: 'file',
  parent_ids: 'split',
  split_parent_id: 'ignored',
  group_parent_id: 'ignored',
};

/** Kinds of the other ids, by what the method, the path and the place match first. */
const byPlace: readonly (readonly [RegExp, IdPlace['kind']])[] = [
  [/^PUT .*\} body id$|balances\[\]\.id$/, 'ignored'],
  [/\/attachments\/\{file_id\}/, 'file'],
  [/^(GET|DELETE) .*\/transactions\/group|\/v1\/transactions query group_id/, 'group'],
  [/^DELETE .*\/transactions\/split/, 'split'],
  [/\/transactions|\/coffer\/history/, 'transaction'],
  [/ group_id$/, 'categoryGroup'],
  [/\/categories|\/category_settings/, 'category'],
  [/\/tags/, 'tag'],
  [/\/(manual_accounts|assets|balance_history\/manual|coffer\/accounts)/, 'manual'],
  [/\/balance_anchors/, 'anchor'],
  [/\/(plaid_accounts|balance_history\/plaid)/, 'plaid'],
  [/\/recurring_items/, 'recurring'],
  [/\/rules/, 'rule'],
  [/\/imports\/\{id\}\/redo/, 'undoneImport'],
  [/\/imports\/\{id\}\/(rows|commit)|^DELETE .*\/imports/, 'preview'],
  [/\/imports/, 'import'],
  [/\/webhooks/, 'webhook'],
  [/\/connections/, 'connection'],
  [/\/sessions/, 'session'],
  [/\/passkeys/, 'passkey'],
  [/\/tokens/, 'token'],
  [/\/crypto\/manual|\/balance_history\/crypto_manual/, 'cryptoManual'],
  [/\/crypto\/synced|\/balance_history\/crypto_synced/, 'crypto'],
  [/\/balance_history\/deleted/, 'deleted'],
  [/\/balance_history\/entries/, 'entry'],
];

/** The operations that create a record of a table which the end of their path names, such as `/coffer/rules`. */
export const creators: ReadonlyMap<string, string> = new Map(
  operations(noServices)
    .filter(({ method, declaration: { path } }) => {
      const isKnown = byPlace.some(([pattern]) => pattern.test(`${path}/{id} path id`));
      return (
        method === 'POST' && !isKnown && bookTables.some(({ name }) => path.endsWith(`/${name}`))
      );
    })
    .map(({ declaration: { path, id } }) => [path.split('/').at(-1)!, id]),
);

/** Ids of other systems, and of challenges, are texts, and name no record. */
const foreignNames = new Set(['external_id', 'coingecko_id', 'challenge_id']);

function isIdName(name: string): boolean {
  return /(^|_)id$/.test(name) && !foreignNames.has(name);
}

function resolved(schema: SchemaJson): SchemaJson {
  const name = schema.$ref?.split('/').at(-1);
  return name === undefined ? schema : asJson(componentOf(name));
}

/** Returns the paths of an operation: for a word of a list in it, such as the type of an account, one for each word. */
export function pathsOf({ declaration: { path, params } }: Described): string[] {
  for (const [name, schema] of Object.entries(params?.properties ?? {})) {
    const words = resolved(asJson(schema)).enum;
    if (words !== undefined) return words.map((word) => path.replace(`{${name}}`, String(word)));
  }
  return [path];
}

/** Returns every place of an id in the requests of an operation. Throws if no rule knows the kind of one. */
export function placesOf(operation: Described, path = pathsOf(operation)[0]!): IdPlace[] {
  const { params, query, body } = operation.declaration;
  const inTarget = Object.entries({ path: params, query }).flatMap(([where, schema]) =>
    Object.keys(schema?.properties ?? {})
      .filter((name) => isIdName(name) || name.endsWith('_ids'))
      .map((name) => `${where} ${name}`),
  );
  const inBody = body === undefined ? [] : idsIn(asJson(body), 'body ');
  return [...new Set([...inTarget, ...inBody])].map((place) => {
    const key = place.split(/[ .]/).at(-1)!.replace('[]', '');
    const whole = `${operation.method} ${path} ${place}`;
    const [, named = ''] = /\/(\w+)\/\{id\}$/.exec(path) ?? [];
    const created = creators.has(named) ? (named as RecordKind) : undefined;
    const kind = byName[key] ?? byPlace.find(([pattern]) => pattern.test(whole))?.[1] ?? created;
    if (kind === undefined) throw new Error(`The kind of the record in ${whole} is not known`);
    return { place, kind };
  });
}

/** Returns the places of ids in a body: properties named like one, and integers in lists of ids or records. */
function idsIn(schema: SchemaJson, at: string): string[] {
  const { properties = {}, items, anyOf = [], type } = resolved(schema);
  const isListed =
    /(children|transactions|tags|\bids|_ids)\[\]$/.test(at) && [type].flat().includes('integer');
  return [
    ...(isListed ? [at] : []),
    ...Object.entries(properties).flatMap(([name, each]) => {
      const place = at.endsWith(' ') ? at + name : `${at}.${name}`;
      return [...(isIdName(name) ? [place] : []), ...idsIn(each, place)];
    }),
    ...(items === undefined ? [] : idsIn(items, `${at}[]`)),
    ...anyOf.flatMap((each) => idsIn(each, at)),
  ];
}
