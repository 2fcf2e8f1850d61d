import { Binary, Long, type Document } from "bson";

/** The session of the commands. */
export const lsid = { id: new Binary(Buffer.alloc(16, 7), 4) };
const inTransaction = {
  lsid,
  txnNumber: Long.fromNumber(3),
  autocommit: false,
};
/** The database of the commands. */
export const db = { $db: "bad" };

/** Commands as a driver sends them, to be changed into bad ones. */
export const goodCommands: readonly Document[] = [
  { hello: 1, ...db },
  { ping: 1, lsid, ...db },
  {
    insert: "things",
    documents: [{ _id: 1, a: [1, { b: 2 }], s: "text" }, { n: null }],
    ordered: true,
    ...db,
  },
  {
    insert: "things",
    documents: [{ a: 1 }],
    lsid,
    txnNumber: Long.fromNumber(2),
    ...db,
  },
  {
    find: "things",
    filter: { a: { $gt: 1 }, $or: [{ b: 1 }, { "c.d": { $in: [1, "x"] } }] },
    sort: { a: -1 },
    ...db,
  },
  {
    find: "things",
    filter: { a: { $elemMatch: { b: { $not: { $lt: 3 } } } } },
    projection: { a: 1 },
    limit: 5,
    ...db,
  },
  {
    getMore: Long.fromNumber(12345),
    collection: "things",
    batchSize: 5,
    ...db,
  },
  { killCursors: "things", cursors: [Long.fromNumber(1)], ...db },
  {
    aggregate: "things",
    pipeline: [{ $match: { a: 1 } }, { $group: { _id: 1, n: { $sum: 1 } } }],
    cursor: {},
    ...db,
  },
  {
    update: "things",
    updates: [{ q: { a: 1 }, u: { $set: { "b.c": 1 }, $inc: { n: 1 } }, upsert: true }],
    ...db,
  },
  {
    update: "things",
    updates: [
      {
        q: { a: 1 },
        u: { $push: { a: { $each: [1] } } },
        multi: true,
        arrayFilters: [{ x: 1 }],
      },
    ],
    ...db,
  },
  { delete: "things", deletes: [{ q: { a: { $ne: 4 } }, limit: 1 }], ...db },
  {
    findAndModify: "things",
    query: { a: 1 },
    update: { $addToSet: { a: 5 } },
    new: true,
    sort: { _id: 1 },
    ...db,
  },
  { create: "others", ...db },
  { drop: "others", ...db },
  { listDatabases: 1, nameOnly: true, ...db },
  { listCollections: 1, filter: { name: "things" }, cursor: {}, ...db },
  {
    createIndexes: "things",
    indexes: [{ key: { a: 1, b: -1 }, name: "ab", unique: false }],
    ...db,
  },
  { listIndexes: "things", cursor: {}, ...db },
  { dropIndexes: "things", index: "ab", ...db },
  {
    insert: "things",
    documents: [{ t: 1 }],
    startTransaction: true,
    ...inTransaction,
    ...db,
  },
  {
    commitTransaction: 1,
    ...inTransaction,
    writeConcern: { w: "majority" },
    ...db,
  },
  { abortTransaction: 1, ...inTransaction, ...db },
  { endSessions: [lsid], ...db },
];
