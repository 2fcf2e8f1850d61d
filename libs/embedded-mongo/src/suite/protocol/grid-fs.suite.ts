import type { ObjectId } from "mongodb";
import { GridFSBucket } from "mongodb";
import { buffer } from "node:stream/consumers";
import { getFailure, type SuiteContext } from "../context.suite.ts";

/** Tests files in the driver's GridFS. */
export function describeGridFs(context: SuiteContext): void {
  describe("GridFS", () => {
    const bucket = (): GridFSBucket =>
      new GridFSBucket(context.database(), { bucketName: `files${context.count()}`, chunkSizeBytes: 1000 });
    const upload = async (name: string, bytes: Uint8Array, options = {}): Promise<ObjectId> => {
      const stream = bucket().openUploadStream(name, options);
      await new Promise<void>((resolve, reject) => {
        stream.once("error", reject);
        stream.once("finish", () => resolve());
        stream.end(bytes);
      });
      return stream.id;
    };
    const chunks = (): Promise<number> =>
      context.database().collection(`files${context.count()}.chunks`).countDocuments();
    const content = Buffer.from(Array.from({ length: 2500 }, (_, at) => at % 251));

    it("stores a file of several chunks", async () => {
      const id = await upload("a", content, { metadata: { kind: "pdf" } });
      expect((await buffer(bucket().openDownloadStream(id))).equals(content)).toBe(true);
      expect(await bucket().find({ _id: id }).toArray()).toEqual([
        {
          _id: id,
          length: 2500,
          chunkSize: 1000,
          uploadDate: expect.any(Date),
          filename: "a",
          metadata: { kind: "pdf" },
        },
      ]);
      expect(await chunks()).toBe(3);
    });

    it("stores an empty file, and one that fills its chunks", async () => {
      const empty = await upload("empty", Buffer.alloc(0));
      expect(await buffer(bucket().openDownloadStream(empty))).toHaveLength(0);
      expect(await chunks()).toBe(0);
      const full = await upload("full", content.subarray(0, 2000));
      expect(await buffer(bucket().openDownloadStream(full))).toEqual(content.subarray(0, 2000));
      expect(await chunks()).toBe(2);
    });

    it.each([
      [0, 10],
      [995, 1005],
      [1000, 2000],
      [2400, 2500],
      [1, 2499],
    ])("reads the range from %i to %i", async (start, end) => {
      const id = await upload("a", content);
      expect(await buffer(bucket().openDownloadStream(id, { start, end }))).toEqual(content.subarray(start, end));
    });

    it("finds the last file with a name, and earlier ones by their revision", async () => {
      await upload("a", Buffer.from("first"));
      await new Promise((resolve) => setTimeout(resolve, 5));
      await upload("a", Buffer.from("second"));
      const read = async (revision: number): Promise<string> =>
        (await buffer(bucket().openDownloadStreamByName("a", { revision }))).toString();
      expect(await Promise.all([-1, 0, 1].map(read))).toEqual(["second", "first", "second"]);
    });

    it("deletes a file with its chunks, and nothing else", async () => {
      const [first, second] = [await upload("a", content), await upload("b", content)];
      await bucket().delete(first);
      expect(await chunks()).toBe(3);
      expect(await getFailure(buffer(bucket().openDownloadStream(first)))).toMatchObject({ code: "ENOENT" });
      await getFailure(bucket().delete(first));
      expect((await buffer(bucket().openDownloadStream(second))).equals(content)).toBe(true);
    });

    it("leaves nothing of an aborted upload", async () => {
      const stream = bucket().openUploadStream("a");
      await new Promise<void>((resolve) => stream.write(content, () => resolve()));
      await stream.abort();
      expect([await chunks(), await bucket().find().toArray()]).toEqual([0, []]);
    });

    it("renames a file, and drops the bucket", async () => {
      const id = await upload("a", content);
      await bucket().rename(id, "b");
      expect((await bucket().find({ filename: "b" }).toArray()).map(({ _id }) => _id)).toEqual([id]);
      await bucket().drop();
      expect([await chunks(), await bucket().find().toArray()]).toEqual([0, []]);
    });
  });
}
