import { parse } from "csv-parse/sync";
import mongoose from "mongoose";
import { readSheet } from "read-excel-file/node";
import { givenOffice } from "../testing/office.ts";
import { accept, addFile, createValuesModel } from "./testing.ts";

/** The number of files. */
const count = process.env["SWITCHYARD_TEST_COUNTS"] === "long" ? 100_000 : 2_000;
/** The memory by which the whole process may grow while an export is downloaded, which has more than 100 MB for 100,000 files. */
const maxGrowth = 160 * 1024 * 1024;
const note = "A note of a document. ".repeat(40);

describe(`13 the export of ${count} rows`, () => {
  const given = givenOffice("one process");
  let modelId: string;

  beforeAll(async () => {
    modelId = await createValuesModel(given, "Exported");
    await accept(given, await addFile(given, "first.txt"), modelId, {
      supplier: "=1+1",
      note,
      total: 12.5,
      paid: true,
    });
    const client = await new mongoose.mongo.MongoClient(given.system.uri).connect();
    try {
      const values = client.db("switchyard_extraction").collection<any>("current_values");
      const first = await values.findOne({ modelId });
      for (let from = 1; from < count; from += 1_000) {
        const copies = Array.from({ length: Math.min(1_000, count - from) }, (_, at) => {
          const fileId = `fil_${String(from + at).padStart(8, "0")}`;
          const position = `${String(from + at).padStart(15, "0")}~${fileId}`;
          return { ...first, _id: `${fileId} ${modelId}`, fileId, position, filename: `${fileId}.txt` };
        });
        await values.insertMany(copies, { ordered: false });
      }
    } finally {
      await client.close();
    }
  }, 600_000);

  /** Downloads an export, and returns its bytes with the growth of the memory. The bytes themselves are not counted. */
  async function download(format: string): Promise<{ bytes: Buffer; growth: number }> {
    const pieces: Uint8Array[] = [];
    let length = 0;
    let most = 0;
    const before = process.memoryUsage().rss;
    // Reading a large sheet takes longer than the gateway, in the same process, keeps an idle connection. The next request would get one that
    // is just being closed.
    const headers = { authorization: `Bearer ${given.system.token}`, connection: "close" };
    const path = `/api/v1/deployments/${modelId}/values:export?format=${format}`;
    const response = await fetch(`${given.system.url}${path}`, { headers });
    expect(response.status).toBe(200);
    for await (const piece of response.body ?? []) {
      pieces.push(piece);
      length += piece.length;
      most = Math.max(most, process.memoryUsage().rss - length);
    }
    return { bytes: Buffer.concat(pieces), growth: most - before };
  }

  it.each(["CSV", "JSONL", "XLSX"])(
    "is complete as %s, without more memory than for a few rows",
    async (format) => {
      const { bytes, growth } = await download(format);
      expect(growth).toBeLessThan(maxGrowth);
      if (format === "CSV") {
        const rows = parse<Record<string, string>>(bytes, { record_delimiter: "\r\n", columns: true });
        expect(rows).toHaveLength(count);
        expect(new Set(rows.map(({ fileId }) => fileId)).size).toBe(count);
        expect(
          rows.every((row) => row["supplier"] === "'=1+1" && row["note"] === note && row["total"] === "12.5"),
        ).toBe(true);
      } else if (format === "JSONL") {
        const lines = bytes.toString().trimEnd().split("\n");
        expect(lines).toHaveLength(count);
        expect((JSON.parse(lines.at(-1) ?? "") as { filename: string }).filename).toBe("fil_00000001.txt");
      } else {
        const rows = await readSheet(bytes, { trim: false });
        expect(rows).toHaveLength(count + 1);
        expect(
          rows.slice(1).every(([, , row, ...cells]) => row === 0 && cells.join() === `=1+1,${note},12.5,true`),
        ).toBe(true);
      }
    },
    600_000,
  );

  it("ends when the client goes away, and lists of the same size continue to respond", async () => {
    const leaving = new AbortController();
    const response = await fetch(`${given.system.url}/api/v1/deployments/${modelId}/values:export?format=XLSX`, {
      headers: { authorization: `Bearer ${given.system.token}` },
      signal: leaving.signal,
    });
    await response.body?.getReader().read();
    leaving.abort();
    const { body } = await given.rest.get(`/api/v1/deployments/${modelId}/values?limit=500&search=fil_00000001`);
    expect(body.data.length + (body.nextPageToken === null ? 0 : 1)).toBeGreaterThan(0);
  });
});
