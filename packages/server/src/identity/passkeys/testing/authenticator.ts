import { generateKeyPairSync, hash, randomBytes, sign, type KeyObject } from 'node:crypto';

/** What an authenticator does with a request; each property replaces what the browser or it would send. */
export interface Deviation {
  readonly type?: string;
  readonly origin?: string;
  readonly host?: string;
  readonly challenge?: string;
  /** 1: the user was present; 4: the user was verified. */
  readonly flags?: number;
  readonly counter?: number;
  readonly isForged?: boolean;
  readonly id?: string;
}

type Json = Record<string, unknown>;

const [present, hasKey] = [0x05, 0x40];

/**
 * A passkey in software, with its browser: ES256, self-made CBOR, no attestation. Source: Web Authentication, 6.1 and
 * 6.5; RFC 9052, 7.
 */
export class Authenticator {
  readonly #origin: string;
  readonly #host: string;
  readonly #key: KeyObject;
  readonly #point: { readonly x: Buffer; readonly y: Buffer };
  readonly id = randomBytes(16).toString('base64url');
  /** 0 for an authenticator that does not count. */
  counter = 0;

  constructor(origin: string) {
    this.#origin = origin;
    this.#host = new URL(origin).hostname;
    const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    this.#key = privateKey;
    const { x, y } = privateKey.export({ format: 'jwk' });
    this.#point = { x: Buffer.from(x!, 'base64url'), y: Buffer.from(y!, 'base64url') };
  }

  /** `navigator.credentials.create()`. */
  create(options: Json, deviation: Deviation = {}): Json {
    const id = Buffer.from(this.id, 'base64url');
    const length = Buffer.from([id.length >> 8, id.length & 255]);
    const key = Buffer.concat([Buffer.alloc(16), length, id, this.#coseKey()]);
    const flags = (deviation.flags ?? present) | hasKey;
    const authData = Buffer.concat([this.#data({ ...deviation, flags }), key]);
    const attestationObject = Buffer.concat([
      Buffer.of(0xa3),
      text('fmt'),
      text('none'),
      text('attStmt'),
      Buffer.of(0xa0),
      text('authData'),
      bytes(authData),
    ]);
    return this.#credential({
      clientDataJSON: this.#client('webauthn.create', options, deviation).toString('base64url'),
      attestationObject: attestationObject.toString('base64url'),
      transports: ['internal', 'hybrid'],
    });
  }

  /** `navigator.credentials.get()`. */
  get(options: Json, deviation: Deviation = {}): Json {
    const data = this.#data(deviation);
    const client = this.#client('webauthn.get', options, deviation);
    const signed = Buffer.concat([data, hash('sha256', client, 'buffer')]);
    const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    const signature = sign('sha256', signed, deviation.isForged === true ? privateKey : this.#key);
    return this.#credential(
      {
        clientDataJSON: client.toString('base64url'),
        authenticatorData: data.toString('base64url'),
        signature: signature.toString('base64url'),
        userHandle: 'AA',
      },
      deviation.id,
    );
  }

  #credential(response: Json, id = this.id): Json {
    return {
      id,
      rawId: id,
      type: 'public-key',
      clientExtensionResults: {},
      authenticatorAttachment: 'platform',
      response,
    };
  }

  #client(usual: string, options: Json, { type = usual, origin, challenge }: Deviation): Buffer {
    const sent = challenge ?? options['challenge'];
    const client = { type, challenge: sent, origin: origin ?? this.#origin, crossOrigin: false };
    return Buffer.from(JSON.stringify(client));
  }

  #data({ host = this.#host, flags = present, counter = this.counter }: Deviation): Buffer {
    const count = Buffer.alloc(4);
    count.writeUInt32BE(counter);
    return Buffer.concat([hash('sha256', host, 'buffer'), Buffer.of(flags), count]);
  }

  /** {1: 2, 3: -7, -1: 1, -2: x, -3: y}: an elliptic curve key of P-256 for ES256. */
  #coseKey(): Buffer {
    const { x, y } = this.#point;
    const head = Buffer.of(0xa5, 0x01, 0x02, 0x03, 0x26, 0x20, 0x01);
    return Buffer.concat([head, Buffer.of(0x21), bytes(x), Buffer.of(0x22), bytes(y)]);
  }
}

function text(value: string): Buffer {
  return Buffer.concat([Buffer.of(0x60 + value.length), Buffer.from(value)]);
}

function bytes(value: Buffer): Buffer {
  const { length } = value;
  const head = length < 256 ? [0x58, length] : [0x59, length >> 8, length & 255];
  return Buffer.concat([Buffer.from(head), value]);
}
