import { Long, type Document } from "mongodb";
import { getFailure, generalized, unsupported, type Code, type SuiteContext, type Things } from "../context.suite.ts";

/** An update of `{ _id: 1, n: 1, s: "x", d: { e: 1 }, list: [1] }`, and its error code. */
const updates: [string, Document, Code][] = [
  ["$inc of a string", { $inc: { s: 1 } }, 14],
  ["$inc by a string", { $inc: { n: "1" } }, 14],
  ["$inc of null", { $inc: { "d.e": null } }, 14],
  ["$inc beyond the maximum Long", { $inc: { long: Long.fromNumber(1) } }, 2],
  ["a path through a scalar", { $set: { "n.a": 1 } }, 28],
  ["a path through a string", { $inc: { "s.a.b": 1 } }, 28],
  ["the same path twice", { $set: { n: 1 }, $inc: { n: 1 } }, 40],
  ["a path and one of its parents", { $set: { "d.e": 1 }, $unset: { d: 1 } }, 40],
  ["a path and one of its children", { $set: { d: {}, "d.e": 1 } }, 40],
  ["a different _id", { $set: { _id: 2 } }, 66],
  ["$unset of the _id", { $unset: { _id: 1 } }, 66],
  ["$inc of the _id", { $inc: { _id: 1 } }, 66],
  ["an unknown operator", { $strange: { a: 1 } }, unsupported(9)],
  ["an operator without a document", { $set: 1 }, 9],
  ["a leading dollar in a path", { $set: { $a: 1 } }, 52],
  ["an empty path", { $set: { "": 1 } }, 56],
  ["an empty part of a path", { $set: { "a..b": 1 } }, 56],
  ["a path that ends with a dot", { $set: { "a.": 1 } }, 56],
  ["a field after operators", { $set: { a: 1 }, b: 1 }, 9],
];

const queries: [string, Document, Code][] = [
  ["an unknown operator", { a: { $strange: 1 } }, unsupported(2)],
  ["an unknown operator at the top", { $strange: 1 }, unsupported(2)],
  ["$in without an array", { a: { $in: 1 } }, 2],
  ["$in with operators", { a: { $in: [{ $gt: 1 }] } }, 2],
  ["$or without an array", { $or: { a: 1 } }, 2],
  ["an empty $or", { $or: [] }, 2],
  ["an empty $and", { $and: [] }, 2],
  ["$or of scalars", { $or: [1] }, 2],
  ["$not of a scalar", { a: { $not: 1 } }, 2],
  ["an empty $not", { a: { $not: {} } }, 2],
  ["$elemMatch of a scalar", { a: { $elemMatch: 1 } }, 2],
  ["a field among operators", { a: { $gt: 1, b: 1 } }, unsupported(2)],
];

/** Tests that invalid commands are rejected with MongoDB's code and change nothing. */
export function describeMisuse(context: SuiteContext): void {
  describe("invalid commands", () => {
    const document = { _id: 1, n: 1, s: "x", d: { e: 1 }, list: [1], long: Long.MAX_VALUE };
    it.each(updates)("are rejected for an update with %s", async (_, update, code) => {
      await context.things().insertOne(document);
      const command = { update: context.things().collectionName, updates: [{ q: { _id: 1 }, u: update }] };
      const { writeErrors, n } = (await context
        .database()
        .command(command)
        .catch((error: unknown) => ({ writeErrors: [error], n: 0 }))) as any;
      expect([n, writeErrors[0].code]).toEqual([0, context.code(code)]);
      const { long: _long, ...others } = await context.things().findOne({});
      expect(others).toEqual({ _id: 1, n: 1, s: "x", d: { e: 1 }, list: [1] });
    });

    it.each(queries)("are rejected for a query with %s", async (_, query, code) => {
      await context.things().insertOne({ a: 1 });
      expect(await getFailure(context.things().find(query).toArray())).toMatchObject({ code: context.code(code) });
      expect(await getFailure(context.things().deleteMany(query))).toMatchObject({ code: context.code(code) });
      expect(await context.things().countDocuments()).toBe(1);
    });

    const others: [string, (things: Things) => Promise<unknown>, Code][] = [
      ["an array as the _id", (things) => things.insertOne({ _id: [1] }), 53],
      ["an _id with a dollar in a field name", (things) => things.insertOne({ _id: { $a: 1 } }), 52],
      ["an _id with a dollar in a nested field name", (things) => things.insertOne({ _id: { a: [{ $b: 1 }] } }), 52],
      [
        "an upserted replacement with a part of its _id in the query",
        (things) => things.replaceOne({ "_id.a": 1 }, { b: 1 }, { upsert: true }),
        111,
      ],
      ["a name of more than 255 bytes", (things) => things.db.collection("é".repeat(128)).insertOne({}), 73],
      ["a replacement with another _id", (things) => things.replaceOne({ _id: 1 }, { _id: 2 }), 66],
      [
        "a replacement of many documents",
        (things) => command(things, { update: 0, updates: [{ q: {}, u: { a: 1 }, multi: true }] }),
        9,
      ],
      [
        "a delete without a limit",
        (things) => command(things, { delete: 0, deletes: [{ q: {} }] }),
        generalized(40414, 14),
      ],
      ["a delete with a limit of 2", (things) => command(things, { delete: 0, deletes: [{ q: {}, limit: 2 }] }), 9],
      ["findAndModify without an update or remove", (things) => command(things, { findAndModify: 0, query: {} }), 9],
      [
        "findAndModify with an update and remove",
        (things) => command(things, { findAndModify: 0, query: {}, remove: true, update: { $set: { a: 1 } } }),
        9,
      ],
      ...["new", "upsert"].map((option): [string, (things: Things) => Promise<unknown>, Code] => [
        `findAndModify with remove and ${option}`,
        (things) => command(things, { findAndModify: 0, query: { _id: 1 }, remove: true, [option]: true }),
        9,
      ]),
      [
        "findAndModify with remove and array filters",
        (things) => command(things, { findAndModify: 0, query: { _id: 1 }, remove: true, arrayFilters: [{ x: 1 }] }),
        9,
      ],
      ["a negative skip", (things) => command(things, { find: 0, skip: -1 }), 51024],
      ["a negative batch", (things) => command(things, { find: 0, batchSize: -1 }), 51024],
      ["a sort direction of 2", (things) => command(things, { find: 0, sort: { a: 2 } }), unsupported(15975)],
      [
        "a sort direction that is a string",
        (things) => command(things, { find: 0, sort: { a: "up" } }),
        unsupported(15974),
      ],
      ["a query that is not a document", (things) => command(things, { find: 0, filter: 1 }), 14],
      ["a sort that is not a document", (things) => command(things, { find: 0, sort: 1 }), 14],
      [
        "a projection that includes and excludes fields",
        (things) => things.findOne({}, { projection: { a: 1, b: 0 } }),
        generalized(31254, 2),
      ],
      ...[
        ["", 40352],
        ["a.", 40353],
        [".a", 15998],
        ["a..b", 15998],
      ].map(([path, real]): [string, (things: Things) => Promise<unknown>, Code] => [
        `the projection of '${path}'`,
        (things) => things.findOne({}, { projection: { [String(path)]: 1 } }),
        { real: Number(real), here: 56, reason: "codes" },
      ]),
      ["a batch without documents", (things) => command(things, { insert: 0, documents: [] }), 16],
      [
        "an unknown command",
        (things) => command(things, { strange: 0 }),
        { real: 59, here: 115, reason: "unsupported" },
      ],
      ["a limit of 0", (things) => things.aggregate([{ $limit: 0 }]).toArray(), 15958],
      ["an unknown stage", (things) => things.aggregate([{ $strange: {} }]).toArray(), unsupported(40324)],
    ];
    const command = (things: Things, fields: Document): Promise<unknown> => {
      const [name = ""] = Object.keys(fields);
      return context.database().command({ ...fields, [name]: things.collectionName });
    };
    it.each(others)("are rejected for %s", async (_, attempt, code) => {
      await context.things().insertMany([{ _id: 1, a: 1 }, { _id: 3 }]);
      const outcome: any = await attempt(context.things()).catch((error: unknown) => error);
      expect(outcome.writeErrors?.[0]?.code ?? outcome.code).toBe(context.code(code));
      expect(await context.things().find().sort({ _id: 1 }).toArray()).toEqual([{ _id: 1, a: 1 }, { _id: 3 }]);
    });
  });
}
