import { msOf } from '@coffer/core/dates';
import { changing } from '../../book/change.ts';
import { context, type Engine } from '../../db/engine.ts';
import { select } from '../../db/rows.ts';
import { manualCryptoAccounts } from '../../db/tables/tables.ts';
import { causeOf, outside, read, write, type Operation } from '../../operations/operation.ts';
import { bodyProblem } from '../../operations/problem.ts';
import { recordOf } from '../../operations/records.ts';
import { changed, created, noContent, ok, refusedWithErrors } from '../../operations/responses.ts';
import { CryptoRefreshError } from '../../outside/provider-error.ts';
import { pricesOf, rememberPrices } from '../prices/actions.ts';
import type { AssetSource } from '../prices/asset-source.ts';
import type { AssetPrice } from '../prices/worth.ts';
import {
  checkedBalance,
  checkedQuantity,
  createManualCrypto,
  updateManualCrypto,
  removeManualCrypto,
} from './actions.ts';
import { toWire } from './rules.ts';
import * as schema from './schema.ts';

const noun = 'manual crypto account';
const tag = 'crypto-manual';
const all = { path: '/v2/crypto/manual', tag } as const;
const one = { path: '/v2/crypto/manual/{id}', tag, params: schema.ManualCryptoPath } as const;
/** A known price that is younger is used as it is. */
const freshMs = 600_000;

/** Returns the operations of manual crypto accounts. */
export function manualCryptoRoutes({
  assetSource,
}: {
  readonly assetSource: AssetSource;
}): readonly Operation[] {
  return [...readRoutes, createRoute(assetSource), ...writeRoutes];
}

const readRoutes: readonly Operation[] = [
  read(
    {
      ...all,
      id: 'getAllCryptoManual',
      summary: 'List manual crypto accounts',
      response: ok(schema.ManualCryptoList, 'The accounts.'),
    },
    function* ({ bookId }) {
      const rows = yield* select(manualCryptoAccounts, { book_id: bookId });
      return { crypto_manual: rows.map(toWire) };
    },
    { isOneStatement: true },
  ),
  read(
    {
      ...one,
      id: 'getCryptoManualById',
      summary: 'Get a manual crypto account',
      response: ok(schema.ManualCryptoAccount, 'The account.'),
    },
    function* ({ bookId, params }) {
      return toWire(yield* recordOf(manualCryptoAccounts, noun, bookId, params.id));
    },
    { isOneStatement: true },
  ),
];

function createRoute(source: AssetSource): Operation {
  const declaration = {
    ...all,
    id: 'createCryptoManual',
    summary: 'Create a manual crypto account',
    description:
      'The value is that of the last known price, which is read from the price source if it is old. ' +
      'Without a price, `to_base` is null.',
    body: schema.ManualCryptoInsert,
    response: created(schema.ManualCryptoAccount, 'The new account.'),
  } as const;
  return outside('POST', declaration, async (request, engine) => {
    const { body, identity } = request;
    const { quantity, asset } = await engine.read(() => checkedBalance(body));
    const currency = identity.book.primaryCurrency;
    const prices = await freshPrice(engine, source, asset.coingecko_id, currency);
    const { name, display_name = null, institution_name = null } = body;
    return engine.write(() =>
      changing(causeOf(declaration, request), function* (change) {
        yield* rememberPrices(currency, prices);
        const row = { name, display_name, institution_name, quantity, asset };
        return toWire(yield* createManualCrypto(change, row));
      }),
    );
  });
}

/** Returns the price of an asset if the known one is old. A price source that fails does not prevent an account. */
async function freshPrice(
  engine: Engine,
  source: AssetSource,
  id: string,
  currency: string,
): Promise<readonly AssetPrice[]> {
  const isFresh = await engine.read(function* () {
    const known = (yield* pricesOf(currency, [id])).get(id);
    const { nowMs } = yield* context();
    return known !== undefined && Math.abs(nowMs - msOf(known.as_of)) < freshMs;
  });
  if (isFresh) return [];
  try {
    return await source.prices([id], currency);
  } catch (error) {
    if (error instanceof CryptoRefreshError) return [];
    throw error;
  }
}

const writeRoutes: readonly Operation[] = [
  write(
    'PUT',
    {
      ...one,
      id: 'updateCryptoManual',
      summary: 'Update a manual crypto account',
      description: 'The symbol of an account never changes.',
      body: schema.ManualCryptoUpdate,
      bodyExamples: schema.manualCryptoUpdates,
      response: changed(schema.ManualCryptoAccount, 'The changed account.'),
    },
    function* ({ bookId, params, body }, change) {
      const before = yield* recordOf(manualCryptoAccounts, noun, bookId, params.id);
      const { name, display_name, institution_name, balance } = body;
      const names = { name: name ?? undefined, display_name, institution_name };
      if (balance === undefined && Object.values(names).every((each) => each === undefined))
        throw nothingToUpdate();
      const quantity = balance === undefined ? undefined : checkedQuantity(balance);
      return toWire(yield* updateManualCrypto(change, before, { ...names, quantity }));
    },
  ),
  write(
    'DELETE',
    {
      ...one,
      id: 'deleteCryptoManual',
      summary: 'Delete a manual crypto account',
      description:
        'If the account has a balance history, `keep_history` must say what happens to it. ' +
        'With `true` it becomes the history of a deleted account.',
      query: schema.ManualCryptoDeleteQuery,
      response: noContent('The account is deleted.'),
      refusals: {
        422: refusedWithErrors(422, 'It has a balance history.', {
          history: { summary: 'It has a balance history', value: schema.unconfirmedDeletion },
        }),
      },
    },
    function* ({ bookId, params, query, refuse }, change) {
      const row = yield* recordOf(manualCryptoAccounts, noun, bookId, params.id);
      const isRemoved = yield* removeManualCrypto(change, row, query.keep_history);
      if (!isRemoved) refuse(422, unconfirmed(row.id));
    },
  ),
];

function nothingToUpdate() {
  return bodyProblem({
    errMsg:
      'A request to update a manual crypto account must include name, display_name, institution_name or balance',
    instancePath: '/body',
  });
}

function unconfirmed(id: number) {
  const { message, errors } = schema.unconfirmedDeletion;
  return { message, errors: [{ ...errors[0]!, crypto_manual_id: id }] };
}
