/*
 * Another process that writes: `node prove/database/lock-holder.ts DATABASE` takes the write lock of a database at each line `hold`
 * of its input and says `held`, and lets it go at each line `free` and says `free`.
 */
import { createInterface } from 'node:readline';
import Database from 'better-sqlite3';

const database = new Database(process.argv[2], { fileMustExist: true, timeout: 10_000 });
for await (const line of createInterface({ input: process.stdin })) {
  database.exec(line === 'hold' ? 'BEGIN IMMEDIATE' : 'ROLLBACK');
  console.log(line === 'hold' ? 'held' : 'free');
}
database.close();
