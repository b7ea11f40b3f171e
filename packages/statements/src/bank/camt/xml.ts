import { SaxesParser } from 'saxes';
import { Refusal } from '../../statement/statement-error.ts';

/** Maximum characters of a text, an attribute, a tag or a comment. */
const MAX_LENGTH = 65_536;
const MAX_NAME_LENGTH = 256;
const MAX_ATTRIBUTES = 64;
/** Each costs a parser. */
const MAX_DOCUMENTS = 10_000;
/** Maximum number of elements that are open at once. */
const MAX_DEPTH = 64;
/** The parser keeps what it has not finished, so its length is checked after each slice. */
const SLICE_LENGTH = 16_384;
const DECLARATION = '<?xml';

const OPTIONS = { xmlns: false, forceXMLVersion: true, defaultXMLVersion: '1.0' } as const;

/** Attributes of an element, by name. */
export type Attributes = Readonly<Record<string, string>>;

/** Receives the elements of a file. Names have no prefix. */
export interface XmlEvents {
  /** `line`: physical line on which the opening tag ends, counted from 1. */
  open(name: string, attributes: Attributes, line: number): void;
  /** `text`: the text since the last tag, not trimmed. */
  close(text: string): void;
}

/**
 * Reads XML piece by piece: one document, or several in a row, each with its declaration. Namespaces are ignored.
 * Errors: Refusal if the text is not well-formed, has a document type or an entity of its own, or exceeds a limit.
 * Source: XML 1.0.
 */
export class XmlReader {
  readonly #events: XmlEvents;
  #parser: SaxesParser<typeof OPTIONS>;
  /** Lines of the documents before this one. */
  #linesBefore = 0;
  /** What may be the beginning of the next declaration. */
  #unread = '';
  /** The parser has got no text of the document, and its root has not begun. */
  #isFresh = true;
  #isBegun = false;
  #documents = 1;
  #depth = 0;
  #attributes = 0;
  #text = '';
  /** The line of the last event, and the characters of the slices since. */
  #eventLine = 1;
  #quietLength = 0;
  #eventCount = 0;

  constructor(events: XmlEvents) {
    this.#events = events;
    this.#parser = this.#newParser();
  }

  /** The line reached. */
  get line(): number {
    return this.#linesBefore + this.#parser.line;
  }

  write(piece: string): void {
    let text = this.#unread + piece;
    this.#unread = declarationStart(text);
    text = text.slice(0, text.length - this.#unread.length);
    for (let at = 0; ;) {
      const next = text.indexOf(DECLARATION, at + (at > 0 ? DECLARATION.length : 0));
      this.#feed(text.slice(at, next < 0 ? undefined : next));
      if (next < 0) return;
      this.#beginDocument();
      at = next;
      if (at === 0) {
        this.#feed(DECLARATION);
        at = DECLARATION.length;
      }
    }
  }

  /** Errors: Refusal if the document is not complete. */
  end(): void {
    this.#feed(this.#unread);
    this.#unread = '';
    this.#parse(null);
  }

  /** Starts over if a document has ended. */
  #beginDocument(): void {
    if (this.#depth > 0 || !this.#isBegun) return;
    this.#linesBefore += this.#parser.line - 1;
    this.#documents += 1;
    if (this.#documents > MAX_DOCUMENTS) {
      throw new Refusal(`File has more than ${MAX_DOCUMENTS} documents`, this.line);
    }
    this.#parse(null);
    this.#parser = this.#newParser();
    this.#isBegun = false;
    this.#isFresh = true;
  }

  #feed(piece: string): void {
    const text = this.#isFresh ? this.#skipBlanks(piece) : piece;
    for (let at = 0; at < text.length; at += SLICE_LENGTH) {
      const slice = text.slice(at, at + SLICE_LENGTH);
      const before = this.#eventCount;
      this.#parse(slice);
      const isQuiet = this.#eventCount === before;
      this.#quietLength = isQuiet ? this.#quietLength + slice.length : 0;
      this.#checkLength(this.#quietLength);
    }
  }

  /** Null: the end of the document. */
  #parse(text: string | null): void {
    try {
      this.#parser.write(text);
    } catch (error) {
      throw refusalOf(error, this.line);
    }
  }

  /** Some files begin with blank lines, which XML does not allow before a declaration. */
  #skipBlanks(piece: string): string {
    const text = piece.trimStart();
    this.#linesBefore += breaks(piece.slice(0, piece.length - text.length));
    this.#isFresh = text === '';
    return text;
  }

  #newParser(): SaxesParser<typeof OPTIONS> {
    const parser = new SaxesParser(OPTIONS);
    // With more than seven handlers, V8 keeps the parser as a dictionary, and it takes twice the time.
    parser.on('doctype', (text) => {
      throw new Refusal('Document types and entities are not supported', this.line - breaks(text));
    });
    parser.on('attribute', ({ value }) => this.#takeAttribute(value));
    parser.on('opentag', ({ name, attributes }) => this.#openTag(name, attributes));
    parser.on('closetag', () => this.#closeTag());
    parser.on('text', (text) => this.#takeText(text));
    parser.on('cdata', (text) => this.#takeText(text));
    parser.on('comment', (text) => this.#note(text.length));
    return parser;
  }

  #openTag(name: string, attributes: Attributes): void {
    this.#note(0);
    const { line } = this;
    if (name.length > MAX_NAME_LENGTH) {
      throw new Refusal(`Tag is longer than ${MAX_NAME_LENGTH} characters`, line);
    }
    this.#isBegun = true;
    this.#text = '';
    this.#attributes = 0;
    this.#depth += 1;
    if (this.#depth > MAX_DEPTH)
      throw new Refusal(`Tags are nested deeper than ${MAX_DEPTH}`, line);
    this.#events.open(localName(name), attributes, line);
  }

  #takeAttribute(value: string): void {
    this.#note(value.length);
    this.#attributes += 1;
    if (this.#attributes <= MAX_ATTRIBUTES) return;
    throw new Refusal(`Tag has more than ${MAX_ATTRIBUTES} attributes`, this.line);
  }

  #closeTag(): void {
    this.#note(0);
    this.#depth -= 1;
    const text = this.#text;
    this.#text = '';
    this.#events.close(text);
  }

  #takeText(text: string): void {
    this.#text += text;
    this.#note(this.#text.length);
  }

  /** Notes that the parser has finished something. */
  #note(length: number): void {
    this.#checkLength(length);
    this.#eventCount += 1;
    this.#eventLine = this.line;
  }

  #checkLength(length: number): void {
    if (length <= MAX_LENGTH) return;
    const reason = `Text, tag or comment is longer than ${MAX_LENGTH} characters`;
    throw new Refusal(reason, this.#eventLine);
  }
}

/** The end of a text that may continue as a declaration. */
function declarationStart(text: string): string {
  for (let length = Math.min(DECLARATION.length - 1, text.length); length > 0; length -= 1) {
    if (text.endsWith(DECLARATION.slice(0, length))) return text.slice(-length);
  }
  return '';
}

function localName(name: string): string {
  return name.slice(name.indexOf(':') + 1);
}

function breaks(text: string): number {
  return text.split('\n').length - 1;
}

/** Errors of the parser begin with line and column. */
function refusalOf(error: unknown, line: number): unknown {
  const [, reason] = /^\d+:\d+: (.*?)\.?$/s.exec((error as Error).message) ?? [];
  if (error instanceof Refusal || reason === undefined) return error;
  if (reason === 'undefined entity') {
    return new Refusal('Document types and entities are not supported', line);
  }
  const what = reason.startsWith('unclosed tag') ? 'File ends too early' : 'Not well-formed XML';
  return new Refusal(`${what}: ${reason}`, line);
}
