import type { Answer } from './ask.ts';

/** What came back to writes that may be refused: how often they were, and what is wrong with the answers. */
export class WriteAnswers {
  stored = 0;
  refused = 0;
  readonly problems: string[] = [];

  /** A write is stored, or refused in the one error format with a time to come again; there is nothing else. */
  add({ status, headers, text }: Answer): void {
    if (status === 200) {
      this.stored += 1;
      return;
    }
    this.refused += 1;
    if (status !== 503) this.problems.push(`a write was answered with ${status}: ${text}`);
    else if (!/^[1-9]\d*$/.test(headers['retry-after'] ?? ''))
      this.problems.push(`Retry-After of a refusal is ${headers['retry-after']}`);
    else if (!isError(text)) this.problems.push(`a refusal is not in the error format: ${text}`);
  }
}

function isError(text: string): boolean {
  try {
    const { message, errors } = JSON.parse(text) as Record<string, unknown>;
    const first = (errors as { errMsg?: unknown }[])[0];
    return typeof message === 'string' && typeof first?.errMsg === 'string';
  } catch {
    return false;
  }
}
