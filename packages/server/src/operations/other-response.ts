/** A response with another status than the declared one. Its operation has it in `refusals`. */
export class OtherResponse {
  readonly status: number;
  /** Undefined for no body. */
  readonly body: unknown;
  constructor(status: number, body?: unknown) {
    this.status = status;
    this.body = body;
  }
}

/** The body of a response with the status 202, instead of that of the declared response. */
export class Accepted extends OtherResponse {
  constructor(body: unknown) {
    super(202, body);
  }
}
