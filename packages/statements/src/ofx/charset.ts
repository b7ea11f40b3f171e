const DEFAULT = 'windows-1252';
const LOOKED_AT_BYTES = 4096;
const CODE_PAGE = /^\d{3,4}$/;

/**
 * The encoding that a file names in its first lines, for text that is not UTF-8: `CHARSET:` of an OFX 1 header, or
 * `encoding=` of an XML declaration, as a WHATWG name. windows-1252 where none is named, or none that is known, or
 * UTF-8, which it is not.
 */
export function declaredCharset(head: Uint8Array): string {
  const text = Buffer.from(head.subarray(0, LOOKED_AT_BYTES)).toString('latin1');
  const charset = /CHARSET:([\w-]{1,20}?)(?=COMPRESSION|[^\w-])/.exec(text)?.[1];
  const declared = /<\?xml[^<>]{0,200}?\sencoding=["']([\w-]{1,40})["']/.exec(text)?.[1];
  const label = charset ?? declared ?? DEFAULT;
  const known = encodingOf(CODE_PAGE.test(label) ? `windows-${label}` : label);
  return known === null || known.startsWith('utf-') ? DEFAULT : known;
}

function encodingOf(label: string): string | null {
  try {
    return new TextDecoder(label).encoding;
  } catch {
    return null;
  }
}
