import { parseAddress } from './address.ts';
import { isWithin, parseNetworks } from './networks.ts';
import type { Network } from './networks.ts';

/** The proxies whose X-Forwarded-For is used. */
export interface TrustedProxies {
  readonly networks: readonly Network[];
}

/** More proxies than any real chain has; limits the work on a hostile header. */
const MAX_HOPS = 32;
const MAX_ENTRY_LENGTH = 100;
const BRACKETED_PATTERN = /^\[([^\]]*)\](?::[0-9]{1,5})?$/;
const WITH_PORT_PATTERN = /^([^:]*):[0-9]{1,5}$/;

/**
 * Parses the setting for trusted proxies; see {@link parseNetworks}.
 *
 * Blank text trusts no proxy. Hop counts, `true`, `*`, `/0` and lists that cover all addresses are
 * refused, because any client could then choose its own address.
 *
 * @throws Error that quotes the refused text
 */
export function parseTrustedProxies(text: string): TrustedProxies {
  return { networks: parseNetworks(text, 'Trusted proxies') };
}

/**
 * The address of the client that made a request; `undefined` when it is unknown.
 *
 * `peerAddress` is the other end of the socket, `undefined` for a Unix socket. `forwardedFor` is
 * X-Forwarded-For, with several lines joined in order by commas. A peer that is not trusted is the
 * client, and the header is ignored. Otherwise the header is read from the right: the first entry
 * that is not trusted is the client, or the leftmost entry when all are trusted. Reading stops at
 * an invalid entry and after 32 entries; the last valid entry is then the client. Ports and
 * brackets are dropped. No other header is used.
 */
export function clientAddress(
  peerAddress: string | undefined,
  forwardedFor: string | undefined,
  trusted: TrustedProxies,
): string | undefined {
  let client = peerAddress;
  let rest = forwardedFor;
  for (let hops = 0; hops < MAX_HOPS; hops += 1) {
    if (rest === undefined || !isWithin(client, trusted.networks)) break;
    const comma = rest.lastIndexOf(',');
    const entry = parseEntry(rest.slice(comma + 1));
    if (entry === undefined) break;
    client = entry;
    rest = comma === -1 ? undefined : rest.slice(0, comma);
  }
  return client;
}

/** The address in one entry of the header, without port and brackets. */
function parseEntry(text: string): string | undefined {
  if (text.length > MAX_ENTRY_LENGTH) return undefined;
  const entry = text.trim();
  const match = BRACKETED_PATTERN.exec(entry) ?? WITH_PORT_PATTERN.exec(entry);
  const address = match?.[1] ?? entry;
  return parseAddress(address) === undefined ? undefined : address;
}
