import type { PrivateTargets } from '../outside/guarded-request.ts';
import { addressOf, isPrivateAddress, isPrivateHost } from '../outside/private-host.ts';

const maxUrlLength = 2000;

/**
 * Returns why a URL cannot be the target of a webhook, or null.
 *
 * Names are not resolved: what they mean is checked when a connection is opened.
 */
export function urlProblem(text: string, { areAllowed, allows }: PrivateTargets): string | null {
  const url = URL.parse(text);
  if (url === null || !/^https?:$/.test(url.protocol) || text.length > maxUrlLength)
    return `It must be a URL that begins with https://, of at most ${maxUrlLength} characters`;
  if (url.username !== '' || url.password !== '' || url.hash !== '')
    return 'It must not have a user, a password or a fragment';
  if (url.protocol === 'http:' && !areAllowed) return 'It must begin with https://';
  const address = addressOf(url.hostname);
  const isRefused = address === null ? !areAllowed : isPrivateAddress(address) && !allows(address);
  if (isRefused && isPrivateHost(url.hostname))
    return 'It is in a private network, which the settings of the server do not allow';
  if (url.protocol === 'http:' && address !== null && !isPrivateAddress(address))
    return 'It must begin with https://';
  return null;
}
