/**
 * Returns the Content-Disposition of a file that a browser saves and does not show, with its name in ASCII and in full.
 *
 * Source: RFC 6266, 4.1 and appendix D; RFC 8187.
 */
export function contentDisposition(name: string): string {
  const plain = name.replaceAll(/[^ -~]|["\\%]/g, '_');
  const whole = encodeURIComponent(name.toWellFormed()).replaceAll(
    /['()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return `attachment; filename="${plain}"; filename*=UTF-8''${whole}`;
}
