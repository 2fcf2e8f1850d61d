import type { Document } from "mongodb";
import { getFailure, generalized, rows, unsupported, type Code, type SuiteContext } from "../context.suite.ts";

type Case = [string, Document, Document, Document, Document, Document?];

const items = [
  { id: 1, v: 1 },
  { id: 2, v: 2 },
  { id: 3, v: 2 },
];
const grid = [
  { id: "a", cells: [1, 5, 9] },
  { id: "b", cells: [5] },
];

/** A document, the query, the update, the updated document, and options. */
const cases: Case[] = [
  ["$push", { list: [1] }, {}, { $push: { list: 2 } }, { list: [1, 2] }],
  ["$push to a missing field", {}, {}, { $push: { list: 1 } }, { list: [1] }],
  ["$push of an array as one element", { list: [] }, {}, { $push: { list: [1, 2] } }, { list: [[1, 2]] }],
  ["$push with $each", { list: [3] }, {}, { $push: { list: { $each: [1, 2] } } }, { list: [3, 1, 2] }],
  ["$push with an empty $each", {}, {}, { $push: { list: { $each: [] } } }, { list: [] }],
  ["$push that creates the parent documents", {}, {}, { $push: { "a.b": 1 } }, { a: { b: [1] } }],
  ["$push into an element", { a: [{ b: [1] }] }, {}, { $push: { "a.0.b": 2 } }, { a: [{ b: [1, 2] }] }],
  ["$addToSet of a new value", { list: [1] }, {}, { $addToSet: { list: 2 } }, { list: [1, 2] }],
  ["$addToSet of an equal number of another type", { list: [1] }, {}, { $addToSet: { list: 1.0 } }, { list: [1] }],
  [
    "$addToSet with $each, without duplicates",
    { list: [1] },
    {},
    { $addToSet: { list: { $each: [2, 1, 2] } } },
    { list: [1, 2] },
  ],
  [
    "$addToSet of a document with fields in another order",
    { list: [{ a: 1, b: 2 }] },
    {},
    { $addToSet: { list: { b: 2, a: 1 } } },
    {
      list: [
        { a: 1, b: 2 },
        { b: 2, a: 1 },
      ],
    },
  ],
  ["$addToSet to a missing field", {}, {}, { $addToSet: { list: { $each: [1, 1] } } }, { list: [1] }],
  ["$pull of a value", { list: [1, 2, 1, "1"] }, {}, { $pull: { list: 1 } }, { list: [2, "1"] }],
  ["$pull by a condition", { list: [3, 1, 2] }, {}, { $pull: { list: { $gte: 2 } } }, { list: [1] }],
  [
    "$pull by a condition on nested arrays",
    { list: [[1, 5], 3, 1, [1]] },
    {},
    { $pull: { list: { $gte: 2 } } },
    { list: [1, [1]] },
  ],
  ["$pull with $in", { list: [3, 1, 2] }, {}, { $pull: { list: { $in: [1, 3] } } }, { list: [2] }],
  ["$pull of documents by some fields", { items }, {}, { $pull: { items: { v: 2 } } }, { items: [{ id: 1, v: 1 }] }],
  [
    "$pull of documents by a condition",
    { items },
    {},
    { $pull: { items: { id: { $lt: 3 }, v: 2 } } },
    {
      items: [
        { id: 1, v: 1 },
        { id: 3, v: 2 },
      ],
    },
  ],
  [
    "$pull of null, but not of missing fields",
    { list: [null, {}, 0] },
    {},
    { $pull: { list: null } },
    { list: [{}, 0] },
  ],
  ["$pull of a whole array", { list: [[1], 1] }, {}, { $pull: { list: [1] } }, { list: [1] }],
  ["$pull from a missing field", { a: 1 }, {}, { $pull: { list: 1 } }, { a: 1 }],
  [
    "$ by a field of the element",
    { items },
    { "items.id": 2 },
    { $set: { "items.$.v": 9 } },
    { items: [items[0], { id: 2, v: 9 }, items[2]] },
  ],
  [
    "$ by $elemMatch",
    { items },
    { items: { $elemMatch: { v: 2, id: { $gt: 2 } } } },
    { $inc: { "items.$.v": 1 } },
    { items: [items[0], items[1], { id: 3, v: 3 }] },
  ],
  ["$ by a value", { list: [5, 7, 5] }, { list: 7 }, { $set: { "list.$": 8 } }, { list: [5, 8, 5] }],
  ["$ by a range", { list: [1, 6, 9] }, { list: { $gt: 5 } }, { $set: { "list.$": 0 } }, { list: [1, 0, 9] }],
  [
    "$ next to other conditions",
    { items, a: 1 },
    { a: 1, "items.id": 3 },
    { $unset: { "items.$.v": 1 } },
    { items: [items[0], items[1], { id: 3 }], a: 1 },
  ],
  ["$ within $and", { list: [1, 2, 3] }, { $and: [{ list: 2 }] }, { $set: { "list.$": 0 } }, { list: [1, 0, 3] }],
  [
    "$ for a whole element",
    { items: [{ id: 1 }] },
    { "items.id": 1 },
    { $set: { "items.$": { id: 7 } } },
    { items: [{ id: 7 }] },
  ],
  [
    "$[] on every element",
    { items },
    {},
    { $inc: { "items.$[].v": 1 } },
    {
      items: [
        { id: 1, v: 2 },
        { id: 2, v: 3 },
        { id: 3, v: 3 },
      ],
    },
  ],
  ["$[] on scalars", { list: [1, 2] }, {}, { $inc: { "list.$[]": 1 } }, { list: [2, 3] }],
  ["$[] on an empty array", { list: [] }, {}, { $set: { "list.$[].a": 1 } }, { list: [] }],
  [
    "an array filter",
    { items },
    {},
    { $set: { "items.$[e].v": 0 } },
    { items: [items[0], { id: 2, v: 0 }, { id: 3, v: 0 }] },
    { arrayFilters: [{ "e.v": { $gt: 1 } }] },
  ],
  [
    "an array filter that no longer matches after the first of several changes",
    { items },
    {},
    { $set: { "items.$[e].v": 0, "items.$[e].w": 1 }, $unset: { "items.$[e].id": 1 } },
    { items: [items[0], { v: 0, w: 1 }, { v: 0, w: 1 }] },
    { arrayFilters: [{ "e.v": 2, "e.id": { $gt: 1 } }] },
  ],
  [
    "an array filter on scalars",
    { list: [1, 8, 9] },
    {},
    { $set: { "list.$[e]": 5 } },
    { list: [1, 5, 5] },
    { arrayFilters: [{ e: { $gte: 8 } }] },
  ],
  [
    "an array filter that matches none",
    { list: [1] },
    {},
    { $set: { "list.$[e]": 5 } },
    { list: [1] },
    { arrayFilters: [{ e: 9 }] },
  ],
  [
    "two nested array filters",
    { grid },
    {},
    { $set: { "grid.$[g].cells.$[c]": 0 } },
    { grid: [{ id: "a", cells: [1, 0, 0] }, grid[1]] },
    { arrayFilters: [{ "g.id": "a" }, { c: { $gt: 4 } }] },
  ],
  [
    "an array filter below $[]",
    { grid },
    {},
    { $inc: { "grid.$[].cells.$[c]": 1 } },
    {
      grid: [
        { id: "a", cells: [1, 6, 9] },
        { id: "b", cells: [6] },
      ],
    },
    { arrayFilters: [{ c: 5 }] },
  ],
  [
    "an array filter with $or",
    { list: [1, 2, 3] },
    {},
    { $set: { "list.$[e]": 0 } },
    { list: [0, 2, 0] },
    { arrayFilters: [{ $or: [{ e: 1 }, { e: 3 }] }] },
  ],
  [
    "an array filter for $push",
    { grid },
    {},
    { $push: { "grid.$[g].cells": 7 } },
    { grid: [grid[0], { id: "b", cells: [5, 7] }] },
    { arrayFilters: [{ "g.id": "b" }] },
  ],
  [
    "an array filter for $pull",
    { grid },
    {},
    { $pull: { "grid.$[g].cells": 5 } },
    { grid: [{ id: "a", cells: [1, 9] }, grid[1]] },
    { arrayFilters: [{ "g.id": "a" }] },
  ],
];

/** Tests updates of arrays: operators, `$`, `$[]` and array filters. */
export function describeArrayUpdates(context: SuiteContext): void {
  describe("updates of arrays", () => {
    it.each(rows(cases))("apply %s", async (_, before, query, update, after, options) => {
      await context.things().insertOne({ _id: 1, ...structuredClone(before) });
      const { matchedCount } = await context.things().updateOne({ _id: 1, ...query }, update, options ?? {});
      expect(matchedCount).toBe(1);
      expect(await context.things().findOne({})).toEqual({ _id: 1, ...after });
    });

    it("change each document at its own matching element", async () => {
      await context.things().insertMany([
        { _id: 1, list: [1, 2] },
        { _id: 2, list: [2, 1] },
      ]);
      await context.things().updateMany({ list: 2 }, { $set: { "list.$": 0 } });
      expect(await context.things().find().sort({ _id: 1 }).toArray()).toEqual([
        { _id: 1, list: [1, 0] },
        { _id: 2, list: [0, 1] },
      ]);
    });

    const refused: [string, Document, Document, Document, Code][] = [
      ["$ without an array in the query", { list: [1] }, { $set: { "list.$": 2 } }, {}, 2],
      ["$[name] without its filter", { list: [1] }, { $set: { "list.$[e]": 2 } }, {}, generalized(2, 9)],
      ["a filter that no path uses", { list: [1] }, { $set: { a: 2 } }, { arrayFilters: [{ e: 1 }] }, 9],
      [
        "two filters of the same name",
        { list: [1] },
        { $set: { "list.$[e]": 2 } },
        { arrayFilters: [{ e: 1 }, { e: 2 }] },
        9,
      ],
      ["a filter with two names", { list: [1] }, { $set: { "list.$[e]": 2 } }, { arrayFilters: [{ e: 1, f: 2 }] }, 9],
      [
        "a filter with an uppercase name",
        { list: [1] },
        { $set: { "list.$[E]": 2 } },
        { arrayFilters: [{ E: 1 }] },
        generalized(2, 9),
      ],
      ["$[] on a scalar", { list: 1 }, { $set: { "list.$[]": 2 } }, {}, 2],
      ["$[] on a missing field", { a: 1 }, { $set: { "list.$[]": 2 } }, {}, 2],
      ["$push to a scalar", { list: 1 }, { $push: { list: 2 } }, {}, 2],
      [
        "$push with an unknown modifier",
        { list: [] },
        { $push: { list: { $each: [1], $strange: 1 } } },
        {},
        unsupported(2),
      ],
      ["$push with $each that is not an array", { list: [] }, { $push: { list: { $each: 1 } } }, {}, 2],
      ["$addToSet to a scalar", { list: 1 }, { $addToSet: { list: 2 } }, {}, 2],
      [
        "$addToSet with $each that is not an array",
        { list: [] },
        { $addToSet: { list: { $each: 1 } } },
        {},
        generalized(14, 2),
      ],
      ["$pull from a scalar", { list: 1 }, { $pull: { list: 2 } }, {}, 2],
      ["a field name in an array", { list: [1] }, { $set: { "list.a": 2 } }, {}, 28],
    ];
    it.each(refused)("reject %s", async (_, before, update, options, code) => {
      await context.things().insertOne({ _id: 1, ...before });
      expect(await getFailure(context.things().updateOne({ _id: 1 }, update, options))).toMatchObject({
        code: context.code(code),
      });
      expect(await context.things().findOne({})).toEqual({ _id: 1, ...before });
    });
  });
}
