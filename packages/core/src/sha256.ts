import { hash } from 'node:crypto';

/** To hash so many texts here takes less time than to load OpenSSL. */
const mostHere = 500;
const blockBytes = 64;
const lengthBytes = 8;
const primes: number[] = [];
for (let n = 2; primes.length < blockBytes; n += 1)
  if (primes.every((prime) => n % prime !== 0)) primes.push(n);
/** The first 32 bits of the fraction of a root of each prime. */
const fractions = (root: (prime: number) => number): Int32Array =>
  Int32Array.from(primes, (prime) => (root(prime) % 1) * 2 ** 32);
const constants = fractions(Math.cbrt);
const start = fractions(Math.sqrt).subarray(0, 8);
const words = new Int32Array(blockBytes);

let hashed = 0;

/**
 * Returns the SHA-256 of a text (UTF-8): 32 bytes.
 *
 * The first texts are hashed without OpenSSL, which takes a twentieth of a start to load. It is faster for the others.
 */
export function sha256(text: string): Buffer {
  hashed += 1;
  return hashed > mostHere ? hash('sha256', text, 'buffer') : sha256Here(text);
}

/** Does the same without OpenSSL. Source: FIPS 180-4, 6.2. */
export function sha256Here(text: string): Buffer {
  const length = Buffer.byteLength(text);
  const blocks = Math.ceil((length + 1 + lengthBytes) / blockBytes);
  const padded = Buffer.alloc(blocks * blockBytes);
  padded.write(text);
  padded[length] = 0x80;
  padded.writeUIntBE(length * 8, padded.length - 6, 6);
  const state = start.slice();
  for (let at = 0; at < padded.length; at += blockBytes) addBlock(state, padded, at);
  const digest = Buffer.from(state.buffer);
  return digest.swap32();
}

function addBlock(state: Int32Array, bytes: Buffer, at: number): void {
  for (let t = 0; t < 16; t += 1) words[t] = bytes.readInt32BE(at + t * 4);
  for (let t = 16; t < blockBytes; t += 1) {
    const early = words[t - 15]!;
    const late = words[t - 2]!;
    const mixed = rotate(early, 7) ^ rotate(early, 18) ^ (early >>> 3);
    const mixedLate = rotate(late, 17) ^ rotate(late, 19) ^ (late >>> 10);
    words[t] = words[t - 16]! + mixed + words[t - 7]! + mixedLate;
  }
  let a = state[0]!;
  let b = state[1]!;
  let c = state[2]!;
  let d = state[3]!;
  let e = state[4]!;
  let f = state[5]!;
  let g = state[6]!;
  let h = state[7]!;
  for (let t = 0; t < blockBytes; t += 1) {
    const ofE = rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25);
    const first = (h + ofE + ((e & f) ^ (~e & g)) + constants[t]! + words[t]!) | 0;
    const ofA = rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22);
    const second = ofA + ((a & b) ^ (a & c) ^ (b & c));
    h = g;
    g = f;
    f = e;
    e = (d + first) | 0;
    d = c;
    c = b;
    b = a;
    a = (first + second) | 0;
  }
  state[0]! += a;
  state[1]! += b;
  state[2]! += c;
  state[3]! += d;
  state[4]! += e;
  state[5]! += f;
  state[6]! += g;
  state[7]! += h;
}

function rotate(word: number, bits: number): number {
  return (word >>> bits) | (word << (32 - bits));
}
