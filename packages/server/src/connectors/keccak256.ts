const rateBytes = 136;
const hashBytes = 32;
const lanes = 25;
const laneBytes = 8;
const rounds = 24;
const keccakPadding = 0x01;

const roundConstants = makeRoundConstants();
const { rotations, targets } = makeRhoAndPi();

/**
 * Keccak-256, 32 bytes: the hash of Ethereum, which is SHA3-256 with the padding of before the standard.
 *
 * The crypto library of Node has SHA3-256 alone. This is made for an address, not for speed.
 *
 * Source: the Keccak reference, version 3.0 (G. Bertoni, J. Daemen, M. Peeters, G. Van Assche).
 */
export function keccak256(bytes: Uint8Array): Buffer {
  return sponge256(bytes, keccakPadding);
}

/** The sponge with 256 bits of output; `padding` is the first byte of what is appended, 6 for SHA3-256. */
export function sponge256(bytes: Uint8Array, padding: number): Buffer {
  const state = new BigUint64Array(lanes);
  const blocks = Math.floor(bytes.length / rateBytes) + 1;
  const padded = Buffer.alloc(blocks * rateBytes);
  padded.set(bytes);
  padded[bytes.length] = padding;
  padded[padded.length - 1]! |= 0x80;
  for (let at = 0; at < padded.length; at += laneBytes) {
    const lane = (at % rateBytes) / laneBytes;
    state[lane]! ^= padded.readBigUInt64LE(at);
    if ((at + laneBytes) % rateBytes === 0) permute(state);
  }
  const hash = Buffer.alloc(hashBytes);
  for (let at = 0; at < hashBytes; at += laneBytes) {
    hash.writeBigUInt64LE(state[at / laneBytes]!, at);
  }
  return hash;
}

/** Keccak-f[1600]: theta, rho and pi, chi, iota, 24 times. Lane (x, y) is at x + 5y. */
function permute(state: BigUint64Array): void {
  for (let round = 0; round < rounds; round += 1) {
    mixColumns(state);
    const moved = new BigUint64Array(lanes);
    for (let at = 0; at < lanes; at += 1) moved[targets[at]!] = rotate(state[at]!, rotations[at]!);
    for (let at = 0; at < lanes; at += 1) {
      const row = at - (at % 5);
      state[at] = moved[at]! ^ (~moved[row + ((at + 1) % 5)]! & moved[row + ((at + 2) % 5)]!);
    }
    state[0]! ^= roundConstants[round]!;
  }
}

function mixColumns(state: BigUint64Array): void {
  const parity = new BigUint64Array(5);
  for (let at = 0; at < lanes; at += 1) parity[at % 5]! ^= state[at]!;
  for (let at = 0; at < lanes; at += 1) {
    state[at]! ^= parity[(at + 4) % 5]! ^ rotate(parity[(at + 1) % 5]!, 1n);
  }
}

function rotate(lane: bigint, bits: bigint): bigint {
  return BigInt.asUintN(64, (lane << bits) | (lane >> (64n - bits)));
}

/** Bits 2^j − 1 of each constant come from a shift register of eight bits. */
function makeRoundConstants(): BigUint64Array {
  const constants = new BigUint64Array(rounds);
  let register = 1;
  for (let round = 0; round < rounds; round += 1) {
    for (let j = 0; j <= 6; j += 1) {
      if ((register & 1) === 1) constants[round]! |= 1n << BigInt(2 ** j - 1);
      register = (register << 1) ^ ((register >> 7) * 0x171);
    }
  }
  return constants;
}

/** Where each lane goes, and by how many bits it turns: the walk (x, y) -> (y, 2x + 3y). */
function makeRhoAndPi(): { rotations: bigint[]; targets: number[] } {
  const rotations = new Array<bigint>(lanes).fill(0n);
  const targets = new Array<number>(lanes).fill(0);
  let [x, y] = [1, 0];
  for (let step = 0; step < lanes - 1; step += 1) {
    const next = (2 * x + 3 * y) % 5;
    rotations[x + 5 * y] = BigInt((((step + 1) * (step + 2)) / 2) % 64);
    targets[x + 5 * y] = y + 5 * next;
    [x, y] = [y, next];
  }
  return { rotations, targets };
}
