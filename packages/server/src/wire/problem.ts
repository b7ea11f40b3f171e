import { errorTable, recordNotFound, type ErrorKind } from './errors.ts';

/** One entry of an error body's `errors`: words for a person, and keys that name the place. */
export interface ErrorDetail {
  readonly errMsg: string;
  readonly [key: string]: unknown;
}

/** What a response says beyond its kind of error. */
export interface ProblemOptions {
  /** What is wrong, one entry a problem; the kind's own words unless given. */
  readonly details?: readonly ErrorDetail[];
  /** Headers that the response carries besides. */
  readonly headers?: Readonly<Record<string, string>>;
  /** The failure of somebody else that this response reports; for the log and the metrics. */
  readonly cause?: unknown;
}

/** A refusal on its way to the caller. It is a response, not a fault, so it carries no stack. */
export class Problem extends Error {
  override name = 'Problem';
  readonly kind: ErrorKind;
  readonly details: readonly ErrorDetail[];
  readonly headers: Readonly<Record<string, string>>;

  constructor(kind: ErrorKind, { details, headers = {}, cause }: ProblemOptions = {}) {
    const { stackTraceLimit } = Error;
    Error.stackTraceLimit = 0;
    super(errorTable[kind].message, { cause });
    Error.stackTraceLimit = stackTraceLimit;
    this.kind = kind;
    this.details = details ?? [{ errMsg: errorTable[kind].errMsg }];
    this.headers = headers;
  }
}

/** An operation's own refusal: a status and a body that its declaration has. */
export class OwnRefusal extends Error {
  override name = 'OwnRefusal';
  readonly status: number;
  readonly body: unknown;

  constructor(status: number, body: unknown) {
    super(`Refused with ${status}`);
    this.status = status;
    this.body = body;
  }
}

/** A problem with the body of a request, found by a rule that no schema can say. */
export function bodyProblem(...details: readonly ErrorDetail[]): Problem {
  return new Problem('invalidBody', { details });
}

/** The problem of a record that the caller's book does not have; `noun` is the singular word for it. */
export function notFound(noun: string, id: number): Problem {
  return new Problem('recordNotFound', {
    details: [{ errMsg: recordNotFound(noun, id) }],
  });
}
