/*
 * Another process that writes: `node prove/database/lock-holder.ts DATABASE`. It prints `ready`. At each input line
 * `hold` it takes the write lock and prints `held`; at each line `free` it releases the lock and prints `free`.
 */
import { createInterface } from 'node:readline';
import Database from 'better-sqlite3';

const database = new Database(process.argv[2], { fileMustExist: true, timeout: 10_000 });
console.log('ready');
for await (const line of createInterface({ input: process.stdin })) {
  database.exec(line === 'hold' ? 'BEGIN IMMEDIATE' : 'ROLLBACK');
  console.log(line === 'hold' ? 'held' : 'free');
}
database.close();
