/**
 * A server as one would write it by hand for a single endpoint: `node:http` and mongoose, with its embedded store in the same process, the
 * `mongod` of MONGOD_BINARY, or the database of MONGODB_URI. A request looks its token up and finds the entries of a project. Started with
 * a folder and a file with the entries as JSON.
 */
import { startTestDatabase } from "@switchyard/storage/testing";
import mongoose from "mongoose";
import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

const [folder = "", entriesFile = "", secret = ""] = process.argv.slice(2);
const uri = process.env["MONGODB_URI"] ?? (await startTestDatabase({ folder })).uri;
const connection = await mongoose.createConnection(uri, { dbName: "by_hand" }).asPromise();
const digest = (token: string): string => createHash("sha256").update(token).digest("base64");
const tokens = connection.model("tokens", new mongoose.Schema({ digest: { type: String, index: true } }));
const lists = connection.model(
  "entries",
  new mongoose.Schema(
    { list: { type: String, index: true } },
    { strict: false, versionKey: false, minimize: false, id: false },
  ),
);
await Promise.all([tokens.init(), lists.init()]);
await tokens.create({ digest: digest(secret) });
const entries = JSON.parse(await readFile(entriesFile, "utf8")) as Record<string, object[]>;
for (const [list, ofList] of Object.entries(entries)) {
  for (const entry of ofList) await lists.create({ ...entry, list });
}

async function respond(url: string, authorization: string): Promise<string | undefined> {
  const token = await tokens.findOne({ digest: digest(authorization.replace(/^Bearer /, "")) }).lean();
  if (token === null) return undefined;
  return JSON.stringify(await lists.find({ list: url.slice(1) }, { _id: 0, list: 0 }).lean());
}

const server = createServer((request, response) => {
  void respond(request.url ?? "", request.headers.authorization ?? "").then((body) => {
    if (body === undefined) return response.writeHead(401).end();
    const headers = { "content-type": "application/json", "content-length": Buffer.byteLength(body) };
    return response.writeHead(200, headers).end(body);
  });
}).listen(0, "127.0.0.1", () => console.log(`listening on ${(server.address() as AddressInfo).port}`));
