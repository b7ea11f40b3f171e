import crypto, { randomBytes, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';
import { Problem } from '../../operations/problem.ts';

/** The work of a hash: N = 2^ln blocks of 128·r bytes, p times. */
interface Work {
  readonly ln: number;
  readonly r: number;
  readonly p: number;
}

/** 32 MiB, and about half a second of one core. Source: OWASP Password Storage, scrypt. */
const work: Work = { ln: 15, r: 8, p: 3 };
const saltBytes = 16;
const keyBytes = 32;
const mostAtOnce = 2;
/** More would wait for longer than a browser does. */
const mostWaiting = 20;

const pattern =
  /^\$scrypt\$ln=(\d{1,2}),r=(\d{1,2}),p=(\d{1,2})\$([A-Za-z0-9+/]{22})\$([A-Za-z0-9+/]{43})$/;

/**
 * Returns the hash of a password in the PHC string format, with its salt and its work, so that the work can be raised.
 *
 * At most two are computed at a time, in threads of their own. Throws a Problem when too many wait.
 */
export async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(saltBytes);
  const key = await computed(password, salt, work);
  return `$scrypt$ln=${work.ln},r=${work.r},p=${work.p}$${text(salt)}$${text(key)}`;
}

/**
 * Returns whether a password has this hash. Without a hash it returns false after as much work, so that the time does
 * not show whether there is one.
 */
export async function isPassword(password: string, phc: string | null): Promise<boolean> {
  const [, ln, r, p, salt = '', key = ''] = pattern.exec(phc ?? '') ?? [];
  if (phc === null || ln === undefined) {
    await computed(password, Buffer.alloc(saltBytes), work);
    return false;
  }
  const used = { ln: Number(ln), r: Number(r), p: Number(p) };
  const found = await computed(password, Buffer.from(salt, 'base64'), used);
  return timingSafeEqual(found, Buffer.from(key, 'base64'));
}

/** Whether a hash was made with other work than new ones. */
export function isOutdated(phc: string): boolean {
  return !phc.startsWith(`$scrypt$ln=${work.ln},r=${work.r},p=${work.p}$`);
}

const waiting: (() => void)[] = [];
let running = 0;

async function computed(password: string, salt: Uint8Array, { ln, r, p }: Work): Promise<Buffer> {
  await turn();
  try {
    const N = 2 ** ln;
    // The same text has several forms in Unicode, by keyboard and system.
    const plain = password.normalize('NFKC');
    const derive = promisify<string, Uint8Array, number, object, Buffer>(crypto.scrypt);
    return await derive(plain, salt, keyBytes, { N, r, p, maxmem: 256 * N * r });
  } finally {
    running -= 1;
    waiting.shift()?.();
  }
}

async function turn(): Promise<void> {
  if (running >= mostAtOnce) {
    if (waiting.length >= mostWaiting)
      throw new Problem('unavailable', { headers: { 'retry-after': '5' } });
    await new Promise<void>((resolve) => waiting.push(resolve));
  }
  running += 1;
}

function text(bytes: Buffer): string {
  return bytes.toString('base64').replaceAll('=', '');
}
