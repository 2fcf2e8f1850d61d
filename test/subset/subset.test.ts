import { supportedFeatures as subset } from "@switchyard/embedded-mongo/subset";
import { startTestDatabase } from "@switchyard/storage/testing";
import mongoose from "mongoose";
import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { root } from "../processes.ts";
import { toPlain } from "./bson.ts";
import type { Document } from "./bson.ts";
import { getShape } from "./features.ts";
import { monitoring, sentCommandsFolder } from "./preload.ts";
import { examine, featuresOutside } from "./subset.ts";
import type { Note } from "./subset.ts";

const { Decimal128, Long, ObjectId, BSONRegExp } = mongoose.mongo.BSON;

const outside = (command: Document) => featuresOutside(getShape(toPlain(command) as Document), subset);
const find = (filter: unknown, more: object = {}) => outside({ find: "c", filter, $db: "d", ...more });
const update = (u: unknown, more: object = {}) => outside({ update: "c", updates: [{ q: {}, u, ...more }], $db: "d" });
const aggregate = (...pipeline: object[]) => outside({ aggregate: "c", pipeline, cursor: {}, $db: "d" });
const index = (specification: object) => outside({ createIndexes: "c", indexes: [{ name: "n", ...specification }] });

describe("commands that are sent to databases", () => {
  it.each<[string, string[], string[]]>([
    ["a command", outside({ collMod: "c" }), ["command collMod"]],
    ["an option", find({}, { collation: {} }), ["option collation"]],
    ["an option of a statement", update({ $set: {} }, { hint: "n" }), ["option hint"]],
    ["an operator at the top", find({ $where: "true" }), ["query $where"]],
    ["an operator below others", find({ $or: [{ a: { $not: { $mod: [2, 0] } } }] }), ["query $mod"]],
    [
      "an operator of elements",
      find({ a: { $elemMatch: { $or: [{ b: { $bitsAllSet: 1 } }] } } }),
      ["query $bitsAllSet"],
    ],
    ["an operator in $all", find({ a: { $all: [{ $elemMatch: { $type: 2 } }] } }), ["query $all", "query $type"]],
    ["a regular expression", find({ a: { $in: [/x/] } }), ["query $regex", "type regex"]],
    ["a regular expression of BSON", find({ a: new BSONRegExp("x") }), ["query $regex", "type regex"]],
    ["an update operator", update({ $bit: { a: { and: 1 } } }), ["update $bit"]],
    ["a modifier", update({ $push: { a: { $each: [1], $where: 1 } } }), ["update $where"]],
    ["a condition of $pull", update({ $pull: { a: { b: { $text: 1 } } } }), ["query $text"]],
    ["a pipeline as update", update([{ $set: { a: 1 } }]), ["update pipeline"]],
    [
      "a filter of elements",
      update({ $set: { "a.$[x].b": 1 } }, { arrayFilters: [{ "x.c": { $geoWithin: 1 } }] }),
      ["query $geoWithin"],
    ],
    [
      "a filter that is deleted by",
      outside({ delete: "c", deletes: [{ q: { $expr: 1 }, limit: 1 }] }),
      ["query $expr"],
    ],
    ["a filter of findAndModify", outside({ findAndModify: "c", query: { $expr: 1 }, update: {} }), ["query $expr"]],
    ["a stage", aggregate({ $match: {} }, { $lookup: { from: "o" } }), ["stage $lookup"]],
    ["an accumulator", aggregate({ $group: { _id: null, a: { $stdDevPop: 1 } } }), ["accumulator $stdDevPop"]],
    ["an expression", aggregate({ $group: { _id: { $toUpper: "a" }, n: { $sum: 1 } } }), ["expression $toUpper"]],
    ["a path", aggregate({ $group: { _id: "$a" } }), ["expression $path"]],
    ["a variable", aggregate({ $group: { _id: "$$NOW" } }), ["expression $$NOW"]],
    ["a computed projection", find({}, { projection: { a: { $slice: 1 } } }), ["projection $slice"]],
    ["a projected expression", find({}, { projection: { a: "$b" } }), ["projection expression"]],
    ["a sort by score", find({}, { sort: { a: { $meta: "textScore" } } }), ["sort $meta"]],
    ["a hashed index", index({ key: { a: "hashed" } }), ["index hashed"]],
    ["a wildcard index", index({ key: { "a.$**": 1 } }), ["index wildcard"]],
    ["an index with a collation", index({ key: { a: 1 }, collation: { locale: "en" } }), ["index collation"]],
    ["a partial index", index({ key: { a: 1 }, partialFilterExpression: { a: { $mod: [2, 0] } } }), ["query $mod"]],
    ["Decimal128", outside({ insert: "c", documents: [{ a: [{ b: Decimal128.fromString("1") }] }] }), ["type decimal"]],
    ["Decimal128 in a filter", find({ a: { $gt: Decimal128.fromString("1") } }), ["type decimal"]],
    ["Decimal128 in an update", update({ $set: { a: Decimal128.fromString("1") } }), ["type decimal"]],
  ])("are reported if they are outside of the subset: %s", (_what, found, expected) => {
    expect(found).toEqual(expected);
  });

  it("are accepted if they are within it, including Maps and values with toBSON", () => {
    expect(
      find({ $and: [{ a: { $gte: 1, $ne: null } }, { b: { c: 1 } }] }, { sort: new Map([["a", -1]]), limit: 1 }),
    ).toEqual([]);
    expect(
      find({ a: new ObjectId(), b: new Date(), c: Long.fromNumber(1), d: Buffer.from("x"), e: 1.5, f: 2n }),
    ).toEqual([]);
    expect(find({ a: { toBSON: () => Decimal128.fromString("1") } })).toEqual(["type decimal"]);
    const deep = { $or: [{ a: 1 }, { a: { b: [1, { toBSON: () => Decimal128.fromString("1") }] } }] };
    const given = structuredClone(deep.$or[0]);
    expect(find(deep)).toEqual(["type decimal"]);
    // The command is still to be sent.
    expect([deep.$or[0], Object.keys(deep.$or[1]!)]).toEqual([given, ["a"]]);
    expect(update({ $push: { "a.b": { $each: [1] } }, $set: { "c.$.d": {} } }, { upsert: true })).toEqual([]);
    expect(aggregate({ $match: { a: 1 } }, { $group: { _id: 1, n: { $sum: 1 } } })).toEqual([]);
    expect(index({ key: { a: 1, b: -1 }, unique: true, partialFilterExpression: { a: { $exists: true } } })).toEqual(
      [],
    );
  });

  it("have one shape for all values of a type", () => {
    const shape = (filter: Document) => JSON.stringify(getShape({ find: "c", filter }));
    expect(shape({ a: { $in: ["x"] } })).toBe(shape({ b: { $in: ["y", "z"] } }));
    expect(shape({ a: { $in: ["x"] } })).not.toBe(shape({ a: { $in: [1] } }));
  });

  it("are compared with the lists of the embedded store, section by section", () => {
    for (const section of ["command", "option", "query", "update", "projection", "sort", "index", "type"]) {
      expect(subset.get(section)?.size).toBeGreaterThan(1);
    }
    expect(subset.get("stage")?.has("$sum")).toBe(false);
    expect(subset.get("accumulator")?.has("$match")).toBe(false);
  });

  it("are reported with feature and shape, and so is a run with too few commands of the services", () => {
    const services = ["configuration", "extraction", "classifier", "benchmark"].map((name) => `switchyard_${name}`);
    const clients = (["test", "service"] as const).flatMap((by) => services.map((client): Note => ({ client, by })));
    const shapes = Array.from({ length: 60 }, (_, length): Note => {
      const names = Array.from({ length }, () => "type int");
      return { command: "ping", features: ["command ping", ...names] };
    });
    expect(examine([...clients, ...shapes, ...shapes], subset, true)).toEqual({
      summary: "60 shapes of commands from 8 clients, all within the subset",
      faults: [],
    });
    const wrong = getShape({ find: "c", filter: { $where: "x" } });
    const { summary, faults } = examine([...clients, ...shapes, wrong], subset, true);
    expect(summary).toBe("61 shapes of commands from 8 clients, not all within the subset");
    expect(faults).toEqual([
      "query $where is sent, which is outside of the subset: in find, of command find, option filter, query $where",
    ]);
    expect(examine(clients.slice(0, 7), subset, true).faults).toEqual([
      "only 0 shapes were recorded, so commands are missing",
      "no command of benchmark was recorded in a service's process",
    ]);
    expect(examine([], subset, false).faults).toEqual([]);
  });

  it("are recorded before their response for every client that connects like a service", async () => {
    // The program is waited for without this thread.
    const database = await startTestDatabase({ ownThread: true });
    const folder = mkdtempSync(join(tmpdir(), "switchyard-sent-"));
    const environment = { ...process.env, [sentCommandsFolder]: folder };
    const program = `
      import { connectStorage } from "@switchyard/storage";
      import { sentCommands } from "@switchyard/storage/sent-commands";
      import { subscribe } from "node:diagnostics_channel";
      const { connection } = await connectStorage({ uri: ${JSON.stringify(database.uri)}, database: "switchyard_test" });
      const numbers = connection.collection("numbers");
      await numbers.insertOne({ decimal: 1 });
      subscribe(sentCommands, () => process.kill(process.pid, "SIGKILL"));
      await numbers.find({ $where: "true" }).toArray();
    `;
    const args = [...monitoring(environment), "--input-type=module", "--eval", program];
    const { signal, stderr } = spawnSync(process.execPath, args, {
      cwd: join(root, "test"),
      env: { ...environment, NODE_OPTIONS: "" },
    });
    expect([signal, stderr.toString()]).toEqual(["SIGKILL", ""]);
    const notes = readdirSync(folder).flatMap((file) =>
      readFileSync(join(folder, file), "utf8")
        .trim()
        .split("\n")
        .map((line): Note => JSON.parse(line)),
    );
    expect(notes[0]).toEqual({ client: "switchyard_test", by: "service" });
    expect(notes.slice(1).map((note) => "command" in note && note.command)).toEqual(["insert", "find"]);
    expect(examine(notes, subset, false).faults).toMatchObject([expect.stringContaining("query $where is sent")]);
    rmSync(folder, { recursive: true });
    await database.close();
  });
});
