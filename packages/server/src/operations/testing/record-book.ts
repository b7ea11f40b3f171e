import { goodRequest, type Choice } from './catalogue.ts';
import type { GoodRequest, Records } from './special-requests.ts';
import { creators, type RecordKind } from './id-places.ts';

/** Sends a request, and returns the parsed body of the response. Throws if it is refused. */
export type Send = (request: GoodRequest) => Promise<unknown>;

/** What no operation creates: synced accounts, and what a user signs in with. */
export interface Outside {
  plaid(): Promise<number>;
  crypto(): Promise<number>;
  link(): Promise<string>;
  passkey(): Promise<object>;
  setupToken(): Promise<string>;
}

interface Made {
  readonly id: number;
  readonly category_id?: number;
}

/** What is known of the book of a session. */
interface OwnBook {
  readonly book: { readonly name: string; readonly primary_currency: string };
}

type Maker = (book: RecordBook) => Promise<number>;

function madeBy(operation: string, read: (made: never) => number = ({ id }: Made) => id): Maker {
  return async (book) => read((await book.perform(operation)) as never);
}

/** Makes a transaction of a transfer that is broken again. */
function unpaired(side: 'sent' | 'received'): Maker {
  type Pair = Made & Readonly<Record<typeof side, { readonly transaction_id: number }>>;
  return async (book) => {
    const made = (await book.perform('createTransferWithTransactions')) as Pair;
    await book.perform('deleteTransfer', { at: { place: 'path id', id: made.id } });
    return made[side].transaction_id;
  };
}

const makers: Readonly<Record<RecordKind, Maker>> = {
  transaction: madeBy('createNewTransactions', (made: { transactions: Made[] }) => {
    return made.transactions[0]!.id;
  }),
  sent: unpaired('sent'),
  received: unpaired('received'),
  split: madeBy('splitTransaction'),
  group: madeBy('groupTransactions'),
  file: madeBy('attachFileToTransaction'),
  manual: madeBy('createManualAccount'),
  plaid: ({ outside }) => outside.plaid(),
  category: madeBy('createCategory'),
  categoryGroup: (book) => book.perform('createCategory', { example: 'group' }).then(idOf),
  tag: madeBy('createTag'),
  crypto: ({ outside }) => outside.crypto(),
  cryptoManual: madeBy('createCryptoManual'),
  recurring: madeBy('createRecurringItem'),
  rule: madeBy('createRule'),
  import: madeBy('commitImport'),
  undoneImport: madeBy('undoImport', (made: { import: Made }) => made.import.id),
  preview: madeBy('previewImport'),
  webhook: madeBy('createWebhook'),
  connection: madeBy('createConnection'),
  session: madeBy('signIn', (made: { session: Made }) => made.session.id),
  passkey: madeBy('createPasskey'),
  token: madeBy('createToken'),
  anchor: madeBy('createBalanceAnchor'),
  entry: madeBy('upsertBalanceHistoryForAccount', (made: { balances: Made[] }) => {
    return made.balances[0]!.id;
  }),
  deleted: async (book) => {
    const id = await book.own('manual');
    await book.perform('upsertBalanceHistoryForAccount', { at: { place: 'path account_id', id } });
    await book.perform('deleteManualAccount', { at: { place: 'path id', id } });
    const { balance_history: all } = (await book.perform('getBalanceHistory')) as {
      balance_history: { source: { deleted_account_id?: number } }[];
    };
    const former = all.map(({ source }) => source.deleted_account_id);
    return former.findLast((each) => each !== undefined)!;
  },
};

function idOf(made: unknown): number {
  return (made as Made).id;
}

let texts = 0;

/** A book that gets each record that a request names when it is needed, by requests of the catalogue. */
export class RecordBook implements Records {
  readonly outside: Outside;
  readonly #send: Send;
  readonly #links = new Map<RecordKind, Promise<number>>();

  constructor(send: Send, outside: Outside) {
    this.#send = send;
    this.outside = outside;
  }

  async perform(operation: string, choice?: Choice): Promise<unknown> {
    return this.#send(await this.request(operation, choice));
  }

  request(operation: string, choice?: Choice): Promise<GoodRequest> {
    return goodRequest(operation, this, choice);
  }

  own(kind: RecordKind): Promise<number> {
    const maker = creators.has(kind) ? madeBy(creators.get(kind)!) : makers[kind];
    return maker(this);
  }

  link(kind: RecordKind): Promise<number> {
    const known = this.#links.get(kind) ?? this.own(kind);
    this.#links.set(kind, known);
    return known;
  }

  fresh(example: string): string {
    return `${example} ${(texts += 1)}`;
  }

  async version(): Promise<number> {
    return (await this.#newest()).version;
  }

  async rules(): Promise<readonly number[]> {
    await this.own('rule');
    const { rules } = (await this.perform('getAllRules')) as { rules: Made[] };
    return rules.map(({ id }) => id).toReversed();
  }

  async prepared(request: GoodRequest): Promise<GoodRequest> {
    const { operation, path, params, query } = request;
    const { id } = operation.declaration;
    switch (id) {
      case 'deleteBudget':
      case 'deleteBudgetV1':
        await this.#send(await this.#budgetOf(query));
        return request;
      case 'getBalanceHistoryForAccount':
      case 'deleteBalanceHistoryForAccount':
      case 'getBalanceHistoryForCryptoSynced':
      case 'deleteBalanceHistoryForCryptoSynced': {
        const upsert = id.replace(/^[a-z]+/, 'upsert');
        await this.#send({ ...(await this.request(upsert, { isBare: true })), path, params });
        return request;
      }
      case 'undoLastChange':
      case 'getTransactionsAsOf':
      case 'exportBook':
        // It changes the book.
        await this.own('tag');
        return request;
      case 'getTransactionAsOf': {
        const { at } = await this.#newest();
        await this.own('tag');
        return { ...request, query: { as_of: at } };
      }
      case 'signIn':
        return { ...request, body: { method: 'link', secret: await this.outside.link() } };
      case 'createConnection':
        return {
          ...request,
          body: { name: this.fresh('Bank'), setup_token: await this.outside.setupToken() },
        };
      case 'previewCurrencyChange':
      case 'changePrimaryCurrency': {
        const { book } = (await this.perform('getSession')) as OwnBook;
        const primary_currency = book.primary_currency === 'chf' ? 'eur' : 'chf';
        return { ...request, body: { ...(request.body as object), primary_currency } };
      }
      case 'deleteBook': {
        const { book } = (await this.perform('getSession')) as OwnBook;
        return { ...request, body: { name: book.name } };
      }
      case 'createPasskey':
        return {
          ...request,
          body: { ...(await this.outside.passkey()), name: this.fresh('Laptop') },
        };
      default:
        return request;
    }
  }

  async #newest(): Promise<{ version: number; at: string }> {
    await this.own('tag');
    const { history } = (await this.perform('getHistory')) as {
      history: { version: number; at: string }[];
    };
    return history[0]!;
  }

  async #budgetOf({ category_id }: GoodRequest['query']): Promise<GoodRequest> {
    return this.request('upsertBudget', {
      at: { place: 'body category_id', id: Number(category_id) },
    });
  }
}
