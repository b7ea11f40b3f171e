import { parseAddress } from './address.ts';
import { isWithin, parseNetworks } from './networks.ts';
import type { Network } from './networks.ts';

/** The proxies whose word about the client's address is taken. */
export interface TrustedProxies {
  readonly networks: readonly Network[];
}

/** More proxies in a row than any real chain has; bounds the work on a hostile header. */
const MAX_HOPS = 32;
const MAX_ENTRY_LENGTH = 100;
const BRACKETED_PATTERN = /^\[([^\]]*)\](?::[0-9]{1,5})?$/;
const WITH_PORT_PATTERN = /^([^:]*):[0-9]{1,5}$/;

/**
 * Reads the list of trusted proxies as an operator writes it; see {@link parseNetworks}.
 *
 * Blank text trusts nobody. Hop counts, `true`, `*` and `/0` are refused: each of them would let
 * any client write its own address.
 *
 * @throws Error that quotes the entry that cannot be taken
 */
export function parseTrustedProxies(text: string): TrustedProxies {
  return { networks: parseNetworks(text, 'Trusted proxies') };
}

/**
 * The address of the client that made a request; `undefined` when there is none to know.
 *
 * `peerAddress` is the other end of the socket, `undefined` for a Unix socket; `forwardedFor` is
 * X-Forwarded-For, several lines joined in order by commas. Unless the peer is trusted, the peer
 * is the client, whatever the header says. If it is, the header is read from the right, past
 * trusted entries: the first that is not trusted is the client; when all are trusted, the
 * leftmost. An entry that is no address ends the walk at the last good one, and so does the
 * 32nd. Ports and brackets are cut. No other header is looked at.
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
    const entry = readEntry(rest.slice(comma + 1));
    if (entry === undefined) break;
    client = entry;
    rest = comma === -1 ? undefined : rest.slice(0, comma);
  }
  return client;
}

/** The address in one entry of the header, without port and brackets. */
function readEntry(text: string): string | undefined {
  if (text.length > MAX_ENTRY_LENGTH) return undefined;
  const entry = text.trim();
  const match = BRACKETED_PATTERN.exec(entry) ?? WITH_PORT_PATTERN.exec(entry);
  const address = match?.[1] ?? entry;
  return parseAddress(address) === undefined ? undefined : address;
}
