import type { Answer } from './ask.ts';

/** What a server answered while its database was shaken: how often, how slowly, and what is wrong with it. */
export class ShakenAnswers {
  readonly #slowestMs: number;
  done = 0;
  refused = 0;
  slowestMs = 0;
  readonly problems: string[] = [];

  /** Nothing may take longer than `slowestMs`. */
  constructor(slowestMs: number) {
    this.#slowestMs = slowestMs;
  }

  /** Asks and judges: the answer is 200, or 503 in the one error format with a time to come again. */
  async ask(what: string, question: () => Promise<Answer>): Promise<boolean> {
    const beganAtMs = performance.now();
    const answer = await question().catch((error: unknown) => error as Error);
    const elapsedMs = performance.now() - beganAtMs;
    this.slowestMs = Math.max(this.slowestMs, elapsedMs);
    if (elapsedMs > this.#slowestMs) this.problems.push(`${what} took ${Math.round(elapsedMs)} ms`);
    if (answer instanceof Error) this.problems.push(`${what}: ${answer.message}`);
    else if (answer.status === 200) {
      this.done += 1;
      return true;
    } else this.#judgeRefusal(what, answer);
    return false;
  }

  #judgeRefusal(what: string, { status, headers, text }: Answer): void {
    this.refused += 1;
    if (status !== 503) this.problems.push(`${what} was answered ${status}: ${text}`);
    else if (!/^[1-9]\d*$/.test(headers['retry-after'] ?? ''))
      this.problems.push(`${what} was refused with the Retry-After ${headers['retry-after']}`);
    else if (!/^\{"message":"[^"]+","errors":\[\{"errMsg":"[^"]+"\}\]\}$/.test(text))
      this.problems.push(`${what} was refused by ${text}`);
  }
}
