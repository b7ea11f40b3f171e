import { BlockList, isIP } from 'node:net';

/** Networks that no public server is in. IPv4-mapped IPv6 addresses are compared as IPv4. */
const privateNetworks = new BlockList();
const subnets = [
  ...['0.0.0.0/8', '10.0.0.0/8', '100.64.0.0/10', '127.0.0.0/8', '169.254.0.0/16'],
  ...['172.16.0.0/12', '192.0.0.0/24', '192.168.0.0/16', '198.18.0.0/15', '224.0.0.0/3'],
  ...['::/127', '64:ff9b::/96', 'fc00::/7', 'fe80::/10', 'ff00::/8'],
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
 * Source: IANA IPv4 and IPv6 Special-Purpose Address Registries; RFC 6761, RFC 6762.
 */
export function isPrivateHost(hostname: string): boolean {
  const host = hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '');
  const version = isIP(host);
  if (version !== 0) return privateNetworks.check(host, version === 6 ? 'ipv6' : 'ipv4');
  return !host.includes('.') || /\.(localhost|local|internal|home\.arpa)$/.test(host);
}
