import { BlockList, isIP } from 'node:net';

/** Networks that no public server is in. IPv4-mapped IPv6 addresses are compared as IPv4. */
const privateNetworks = new BlockList();
const subnets = [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/3',
  // IPv4-compatible and translated addresses, and all but global unicast, which is 2000::/3.
  '::/96',
  '::ffff:0:0:0/96',
  '64:ff9b::/32',
  '100::/8',
  '200::/7',
  '400::/6',
  '800::/5',
  '1000::/4',
  '4000::/2',
  '8000::/1',
  // Within global unicast: special protocols such as Teredo, documentation, 6to4, segment routing.
  '2001::/23',
  '2001:db8::/32',
  '2002::/16',
  '3fff::/20',
  '5f00::/16',
];
for (const subnet of subnets) {
  const [network = '', bits = ''] = subnet.split('/');
  privateNetworks.addSubnet(network, Number(bits), network.includes(':') ? 'ipv6' : 'ipv4');
}

/**
 * Returns whether the host name of a URL is a private or local address, or a name of this machine or its network.
 *
 * `hostname` is that of a parsed URL, so all spellings of an address are one. Names are not resolved.
 *
 * Source: RFC 6761, RFC 6762.
 */
export function isPrivateHost(hostname: string): boolean {
  const address = addressOf(hostname);
  if (address !== null) return isPrivateAddress(address);
  const host = hostname.replace(/\.$/, '');
  return !host.includes('.') || /\.(localhost|local|internal|home\.arpa)$/.test(host);
}

/** Returns the address that is the host name of a URL, or null for a name. */
export function addressOf(hostname: string): string | null {
  const host = hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '');
  return isIP(host) === 0 ? null : host;
}

/**
 * Returns whether an address is private, local, reserved, or not an address.
 *
 * Source: IANA IPv4 and IPv6 Special-Purpose Address Registries.
 */
export function isPrivateAddress(text: string): boolean {
  const [address = ''] = text.split('%');
  const version = isIP(address);
  return version === 0 || privateNetworks.check(address, version === 6 ? 'ipv6' : 'ipv4');
}
