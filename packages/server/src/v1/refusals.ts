import { Type } from 'typebox';
import type { Static, TObject, TOptional, TProperties, TSchema, TUnsafe } from 'typebox';
import { maxDetails, OwnRefusal, type Problem } from '../operations/problem.ts';
import { errorTable, type ErrorKind } from '../operations/errors.ts';
import { syntaxErrorV1, tokenErrorV1, type FormV1 } from '../operations/forms-v1.ts';
import { component, flag, nullable, only, optional, titleOf } from '../operations/schema.ts';

/** The forms of v1, named by the areas that have them. */
export const formsV1 = {
  /** Categories and budgets. */
  categories: { status: 200, key: 'error' },
  /** Manual and crypto accounts. */
  accounts: { status: 200, key: 'errors', isList: true },
  transactions: { status: 404, key: 'error', isList: true },
  recurring: { status: 404, key: 'error' },
  /** Areas whose failures were never documented. */
  others: { status: 400, key: 'error' },
} as const satisfies Record<string, FormV1>;

/** Returns the refusal of a request by an operation of v1. */
export function refusedV1({ status, key, isList }: FormV1, ...problems: string[]): OwnRefusal {
  const isOne = problems.length === 1 && isList === undefined;
  return new OwnRefusal(status, { [key]: isOne ? problems[0] : problems });
}

/** Refuses a request of v1 if there is anything wrong with it. */
export function refuseAny(form: FormV1, problems: readonly string[]): void {
  if (problems.length > 0) throw refusedV1(form, ...problems);
}

/** Problems of what the caller sent, which v1 reports in the form of the operation. */
const ownKinds: ReadonlySet<ErrorKind> = new Set([
  ...(['validation', 'invalidBody', 'invalidRequest', 'notSplit'] as const),
  ...(['recordNotFound', 'unknownRecords', 'unconfigured'] as const),
]);

/**
 * Returns what v1 sends for a problem: the status and the body; or null for the standard error body. `form` is that of
 * the operation; undefined if the request has no route.
 */
export function problemInV1(problem: Problem, form: FormV1 | undefined): OwnRefusal | null {
  const { kind, details } = problem;
  const { status } = errorTable[kind];
  if (status === 401) return new OwnRefusal(status, tokenErrorV1);
  if (kind === 'malformedRequest')
    return new OwnRefusal(status, { ...syntaxErrorV1, message: details[0]?.errMsg });
  if (form === undefined || !ownKinds.has(kind)) return null;
  return refusedV1(form, ...details.slice(0, maxDetails).map(({ errMsg }) => errMsg));
}

/** A property of a request of v1: absent and null mean that it is not given. */
export function givenOrNull<S extends TSchema>(schema: S): TOptional<TUnsafe<Static<S> | null>> {
  return optional(nullable(schema));
}

/** Returns the properties of a body that are neither absent nor null. */
export function withoutNulls<T extends object>(body: T): { [K in keyof T]: NonNullable<T[K]> } {
  const given = Object.entries(body).filter(([, value]) => value !== null && value !== undefined);
  return Object.fromEntries(given) as { [K in keyof T]: NonNullable<T[K]> };
}

/** Returns the properties of a record that a closed object has, in its order: those of a response. */
export function shownAs<S extends TObject>(schema: S, record: Static<S>): Static<S> {
  const names = Object.keys(schema.properties).filter((name) => name in record);
  return only(record, names as (keyof Static<S>)[]) as Static<S>;
}

/** The body of a request of v1, as a component of the document; other properties are ignored. */
export function openObject<P extends TProperties>(
  name: string,
  description: string,
  properties: P,
  example?: NoInfer<Static<TObject<P>>>,
): TObject<P> {
  return component(name, Type.Object(properties, { title: titleOf(name), description }), example);
}

/** A bare value as a body, such as `true` or a list, as a component of the document. */
export function bare<S extends TSchema>(name: string, schema: S, example?: NoInfer<Static<S>>): S {
  return component(name, { ...schema, title: titleOf(name) }, example);
}

/** `true`: the body of a success that has nothing to say. */
export const True = bare('TrueV1', Type.Literal(true, { description: 'It is done.' }), true);
export type True = Static<typeof True>;

/** `debit_as_negative` of a query. */
export const debitAsNegative = flag(
  'Show money out as negative, and money in as positive amounts.',
  false,
);

/** An amount with the sign that the client asked for: a decimal text. */
export function signed(amount: string, isNegated: boolean): string {
  if (!isNegated || /^-?[0.]+$/.test(amount)) return amount;
  return amount.startsWith('-') ? amount.slice(1) : `-${amount}`;
}
