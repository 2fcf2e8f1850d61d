import { Buffer } from "node:buffer";
import * as fs from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { isLogHeader, logHeaderLength } from "./write-ahead-log.ts";

/** "SwYd", the application id in the header of the SQLite file. */
const applicationId = 0x53_77_59_64;
/** The version of the format of the tables. */
const formatVersion = 1;
const format = `
  PRAGMA application_id = ${applicationId};
  PRAGMA user_version = ${formatVersion};
  CREATE TABLE collections (
    id INTEGER PRIMARY KEY AUTOINCREMENT, database TEXT NOT NULL, name TEXT NOT NULL, UNIQUE (database, name));
  CREATE TABLE indexes (
    id INTEGER PRIMARY KEY AUTOINCREMENT, collection INTEGER NOT NULL, specification BLOB NOT NULL, multikey TEXT NOT NULL);
  CREATE TABLE sessions (
    key TEXT PRIMARY KEY, number TEXT NOT NULL, reply BLOB, used INTEGER NOT NULL) WITHOUT ROWID;`;
const missingTable = `
  SELECT 'sessions' AS name UNION SELECT 'documents_' || id FROM collections UNION
  SELECT 'keys_' || id FROM indexes WHERE collection IN (SELECT id FROM collections) EXCEPT SELECT name FROM sqlite_schema`;

/** Returns the path of the data file. Only SQLite may open it: closing another descriptor would release this process's lock. */
export const getDataFilePath = (folder: string): string => join(folder, "embedded-mongo.sqlite");

/**
 * Opens the data file of a folder (or ":memory:") for this process alone, and creates the folder and the file if they are missing.
 * Throws an error that names the file and the problem if another process uses the file, if it is damaged, or belongs to another
 * program or format version, or if it is missing although its log exists. The lock is SQLite's own lock of the open file, which the
 * operating system releases when the process ends.
 */
export function openDataFile(folder: string): DatabaseSync {
  if (folder === ":memory:") return makeDataFile(folder);
  const file = getDataFilePath(folder);
  let database: DatabaseSync | undefined;
  try {
    const log = fs.existsSync(`${file}-wal`) ? `${file}-wal` : undefined;
    if (!fs.existsSync(file)) {
      if (log !== undefined) throw new Error(`it is missing, but its log ${log} exists`);
      placeDataFile(folder, file);
    }
    if (fs.statSync(file).size === 0) throw new Error("it is damaged: it is empty");
    if (log !== undefined) checkLog(log);
    // The timeout covers a server that is just ending, or that starts at the same time.
    database = new DatabaseSync(file, { timeout: 500 });
    // If the mode is set before the first access, SQLite keeps the lock until the file is closed.
    database.exec("PRAGMA locking_mode = EXCLUSIVE; BEGIN; SELECT count(*) FROM sqlite_schema; COMMIT");
    check(database);
    database.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; BEGIN EXCLUSIVE; COMMIT");
    return database;
  } catch (error) {
    database?.close();
    const { errcode = 0, message } = error as { errcode?: number; message: string };
    const [busy, notDatabase] = [5, 26].map((code) => code === (errcode & 0xff));
    if (busy) throw new Error(`the data folder ${folder} is in use by another embedded server`, { cause: error });
    const reason = notDatabase ? "it is not an SQLite database, or lost its header" : message;
    throw new Error(`the data file ${file} cannot be used: ${reason}`, { cause: error });
  }
}

/** Creates the file under another name and links it to its place. A file in its place is therefore complete, and never empty. */
function placeDataFile(folder: string, file: string): void {
  fs.mkdirSync(folder, { recursive: true, mode: 0o700 });
  const draft = fs.mkdtempSync(join(folder, "new-"));
  try {
    makeDataFile(join(draft, "data")).close();
    fs.linkSync(join(draft, "data"), file);
  } catch (error) {
    // Another process was faster. The lock decides which of them serves.
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  } finally {
    fs.rmSync(draft, { recursive: true });
  }
}

function makeDataFile(path: string): DatabaseSync {
  const database = new DatabaseSync(path);
  database.exec(`PRAGMA journal_mode = WAL; BEGIN; ${format} COMMIT`);
  return database;
}

/** Throws if the log has content but no header, or a damaged one. SQLite would treat it as an empty log. */
function checkLog(log: string): void {
  const header = Buffer.alloc(logHeaderLength);
  const descriptor = fs.openSync(log, "r");
  const length = fs.readSync(descriptor, header);
  fs.closeSync(descriptor);
  // The header of a new log is written first. If its first bytes are still zero, the log was never flushed.
  if (length < logHeaderLength || header.readUInt32BE() === 0 || isLogHeader(header)) return;
  throw new Error(`the log ${log} lost its header`);
}

function check(database: DatabaseSync): void {
  const readPragma = (pragma: string): unknown => Object.values(database.prepare(`PRAGMA ${pragma}`).get() ?? {})[0];
  if (readPragma("application_id") !== applicationId) throw new Error("it is the SQLite database of another program");
  const version = readPragma("user_version");
  if (version !== formatVersion) throw new Error(`it has format version ${String(version)}, not ${formatVersion}`);
  const checkResult = readPragma("quick_check(1)");
  if (checkResult !== "ok") throw new Error(`it is damaged: ${String(checkResult).trim()}`);
  const missing = database.prepare(missingTable).get();
  if (missing !== undefined) throw new Error(`it is damaged: the table ${String(missing["name"])} is missing`);
}
