/** An entry of a message: its `:61:`, perhaps of two lines, and its `:86:`. */
export interface MtEntry {
  readonly line?: string;
  readonly details?: string;
}

export interface MtMessage {
  readonly account?: string;
  readonly number?: string;
  /** With its tag; null: an interim report. */
  readonly opening?: string | null;
  readonly closing?: string;
  readonly entries?: readonly MtEntry[];
  /** Fields after the entries and the closing balance. */
  readonly rest?: readonly string[];
}

/** Formats messages, one field per line, without their envelope. */
export function mtText(...messages: readonly MtMessage[]): string {
  return messages.map(messageText).join('');
}

function messageText(message: MtMessage): string {
  const { account = '10020030/1234567', number = '5/1', entries = [], rest = [] } = message;
  const opening = message.opening === undefined ? ':60F:C240101EUR100,00' : message.opening;
  const lines = [
    ':20:STARTUMS',
    `:25:${account}`,
    `:28C:${number}`,
    ...(opening === null ? [':34F:EURD0,', ':13D:2401311200+0100'] : [opening]),
    ...entries.flatMap(entryLines),
    ...(message.closing === undefined ? [] : [message.closing]),
    ...rest,
    '-',
  ];
  return lines.map((line) => `${line}\n`).join('');
}

function entryLines({ line = '2401310131D5,00NTRFNONREF', details }: MtEntry): string[] {
  return [`:61:${line}`, ...(details === undefined ? [] : [`:86:${details}`])];
}
