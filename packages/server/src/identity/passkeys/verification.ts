import type * as Library from '@simplewebauthn/server';

/** Options for `navigator.credentials`, in their JSON form. */
export type Options = Record<string, unknown>;

/** Where a passkey is used. */
export interface Place {
  /** The name of the host. */
  readonly host: string;
  /** The address of the page, such as `https://coffer.example`. */
  readonly origin: string;
}

/** What a browser sent, and what it should have signed. */
export interface Signed extends Place {
  readonly credential: Readonly<Record<string, unknown>>;
  readonly challenge: Uint8Array;
}

/** The key of a passkey as it is stored. */
export interface StoredKey {
  readonly credentialId: Uint8Array;
  readonly publicKey: Uint8Array;
  readonly counter: number;
}

/** A new passkey. */
export interface NewKey extends StoredKey {
  readonly transports: readonly string[];
}

/** EdDSA, ES256 and RS256: every authenticator has one of them. */
const algorithms = [-8, -7, -257];

/** Nobody waits for it at the start: few requests need it. */
async function library(): Promise<typeof Library> {
  return import('@simplewebauthn/server');
}

/** Returns the options for `navigator.credentials.get()` of any passkey of the host, in their JSON form. */
export async function optionsToSignIn(host: string, challenge: Uint8Array): Promise<Options> {
  const { generateAuthenticationOptions } = await library();
  const options = { rpID: host, challenge: own(challenge), userVerification: 'required' } as const;
  return plain(await generateAuthenticationOptions(options));
}

/** Who creates a passkey. */
export interface KeyOwner {
  readonly email: string;
  readonly name: string;
  /** Different for every user of every service: an authenticator keeps one passkey for each. */
  readonly handle: Uint8Array;
  /** The passkeys that the user has already. */
  readonly known: readonly Uint8Array[];
}

/** Returns the options for `navigator.credentials.create()`, in their JSON form. */
export async function optionsToCreate(
  host: string,
  challenge: Uint8Array,
  { email, name, handle, known }: KeyOwner,
): Promise<Options> {
  const { generateRegistrationOptions } = await library();
  const options = await generateRegistrationOptions({
    rpName: 'Coffer',
    rpID: host,
    userName: email,
    userDisplayName: name,
    userID: own(handle),
    challenge: own(challenge),
    attestationType: 'none',
    supportedAlgorithmIDs: algorithms,
    excludeCredentials: known.map((id) => ({ id: base64url(id) })),
    authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
  });
  return plain(options);
}

/** Returns the new passkey, or null if what the browser sent is not valid. */
export async function verifiedNew({ credential, ...signed }: Signed): Promise<NewKey | null> {
  if (!hasTexts(credential, ['clientDataJSON', 'attestationObject'])) return null;
  const { verifyRegistrationResponse } = await library();
  const response = credential as unknown as Library.RegistrationResponseJSON;
  const { registrationInfo } = await verifyRegistrationResponse({
    response,
    requireUserVerification: true,
    supportedAlgorithmIDs: algorithms,
    ...expected(signed),
  }).catch(() => ({ registrationInfo: undefined }));
  if (registrationInfo === undefined) return null;
  const { id, publicKey, counter } = registrationInfo.credential;
  const { transports } = response.response;
  return {
    credentialId: Buffer.from(id, 'base64url'),
    publicKey,
    counter,
    transports: Array.isArray(transports) ? transports.filter(isTransport).slice(0, 10) : [],
  };
}

/** Returns the new count of a passkey, or null if what the browser sent is not signed by its key for this place. */
export async function verifiedCount(
  { credential, ...signed }: Signed,
  { credentialId, publicKey, counter }: StoredKey,
): Promise<number | null> {
  if (!hasTexts(credential, ['clientDataJSON', 'authenticatorData', 'signature'])) return null;
  const { verifyAuthenticationResponse } = await library();
  const result = await verifyAuthenticationResponse({
    response: credential as unknown as Library.AuthenticationResponseJSON,
    requireUserVerification: true,
    credential: { id: base64url(credentialId), publicKey: own(publicKey), counter },
    ...expected(signed),
  }).catch(() => ({ verified: false as const }));
  return result.verified ? result.authenticationInfo.newCounter : null;
}

function expected({ challenge, host, origin }: Omit<Signed, 'credential'>) {
  return { expectedChallenge: base64url(challenge), expectedOrigin: origin, expectedRPID: host };
}

function isTransport(text: unknown): text is string {
  return typeof text === 'string' && /^[a-z-]{1,20}$/.test(text);
}

function base64url(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('base64url');
}

/** The library accepts only arrays with a buffer of their own. */
function own(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(bytes);
}

/** Without the properties that are undefined, which JSON does not have. */
function plain(options: object): Options {
  return JSON.parse(JSON.stringify(options)) as Options;
}

type Fields = Readonly<Record<string, unknown>>;

/** Whether a credential has the texts that the verification reads; `response` are those of its response. */
function hasTexts(credential: Fields, response: readonly string[]): boolean {
  const inner = credential['response'];
  if (typeof inner !== 'object' || inner === null) return false;
  const texts = [
    ...['id', 'rawId', 'type'].map((name) => credential[name]),
    ...response.map((name) => (inner as Fields)[name]),
  ];
  return texts.every((text) => typeof text === 'string');
}
