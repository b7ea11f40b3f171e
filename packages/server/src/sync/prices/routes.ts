import type { Engine } from '../../db/engine.ts';
import {
  maxCoingeckoIdLength,
  maxCryptoFullNameLength,
  maxCryptoSymbolLength,
} from '../../operations/limits.ts';
import { outside, read, type Operation } from '../../operations/operation.ts';
import { orProviderProblem, type ErrorDetail } from '../../operations/problem.ts';
import { created, ok, refusedWithErrors } from '../../operations/responses.ts';
import { addCryptocurrency, listCryptocurrencies, coingeckoIdIn, conflictOf } from './actions.ts';
import type { Asset, AssetSource } from './asset-source.ts';
import {
  Cryptocurrency,
  CryptocurrencyInsert,
  CryptocurrencyList,
  refusedCryptocurrencies,
} from './schema.ts';

const all = { path: '/v2/cryptocurrencies', tag: 'cryptocurrencies' } as const;

/** Returns the operations of the cryptocurrencies that manual balances can be in. */
export function cryptocurrencyRoutes({
  assetSource,
}: {
  readonly assetSource: AssetSource;
}): readonly Operation[] {
  return [listRoute, createRoute(assetSource)];
}

const listRoute = read(
  {
    ...all,
    id: 'getAllCryptocurrencies',
    summary: 'List supported cryptocurrencies',
    description:
      'Returns the cryptocurrencies that manual balances can be in. No provider is called.',
    response: ok(CryptocurrencyList, 'The cryptocurrencies.'),
  },
  function* () {
    return { cryptocurrencies: yield* listCryptocurrencies() };
  },
  // Another book can add one.
  { isVolatile: true, isOneStatement: true },
);

function createRoute(source: AssetSource): Operation {
  const declaration = {
    ...all,
    id: 'createCryptocurrency',
    summary: 'Add a supported cryptocurrency',
    description:
      'Finds the asset of a CoinGecko page and adds it for all books. ' +
      'An asset whose id or symbol is supported already is refused with 422.',
    body: CryptocurrencyInsert,
    response: created(Cryptocurrency, 'The new cryptocurrency.'),
    refusals: {
      422: refusedWithErrors(422, 'It cannot be added.', refusedCryptocurrencies),
      502: 'BadGateway',
      504: 'GatewayTimeout',
    },
  } as const;
  return outside('POST', declaration, async ({ body: { coingecko_url }, refuse }, engine) => {
    const result = await add(engine, source, coingecko_url);
    if (!('errMsg' in result)) return result;
    return refuse(422, { message: 'Request Validation Failure', errors: [result] });
  });
}

/** Returns the new cryptocurrency, or why it cannot be added. */
async function add(
  engine: Engine,
  source: AssetSource,
  coingecko_url: string,
): Promise<Cryptocurrency | ErrorDetail> {
  const coingecko_id = coingeckoIdIn(coingecko_url);
  if (coingecko_id === null) return malformed(coingecko_url);
  const known = conflictOf(await engine.read(listCryptocurrencies), coingecko_id);
  if (known !== undefined) return existing(known);
  const asset = await findAsset(source, coingecko_id);
  if (asset === null)
    return { errMsg: `CoinGecko has no usable asset with the id '${coingecko_id}'`, coingecko_url };
  return engine.write(function* () {
    const { symbol, name } = asset;
    for (;;) {
      const conflict = conflictOf(yield* listCryptocurrencies(), asset.coingecko_id, symbol);
      if (conflict !== undefined) return { ...existing(conflict), coingecko_url };
      const columns = { coingecko_id: asset.coingecko_id, symbol, full_name: shortened(name) };
      const added = yield* addCryptocurrency(columns);
      // Otherwise another node has just added it, and now it is in the list.
      if (added !== undefined) return added;
    }
  });
}

async function findAsset(source: AssetSource, id: string): Promise<Asset | null> {
  const asset = await orProviderProblem(source.find(id));
  if (asset === null || asset.symbol.length > maxCryptoSymbolLength) return null;
  return asset.coingecko_id.length > maxCoingeckoIdLength ? null : asset;
}

function shortened(name: string): string {
  return [...name].slice(0, maxCryptoFullNameLength).join('');
}

function malformed(url: string): ErrorDetail {
  const errMsg =
    `Malformed coingecko_url ${JSON.stringify(url)}: ` +
    "use a URL such as 'https://www.coingecko.com/en/coins/ethereum'";
  return { errMsg, instancePath: '/body/coingecko_url', invalid_property: 'coingecko_url' };
}

function existing({ coingecko_id, symbol }: Cryptocurrency): ErrorDetail {
  const errMsg = `The cryptocurrency with the coingecko_id '${coingecko_id}' is already supported`;
  return { errMsg, existing_coingecko_id: coingecko_id, existing_symbol: symbol };
}
