import { drawText } from "../../testing/pictures.ts";
import { getInstalledModels } from "./model-files.ts";
import { toGray } from "./picture/decoding.ts";
import { createRecognitionPool } from "./pool.ts";

describe("pictures that wait for recognition", () => {
  it("are taken of documents with few of them first, and of one long document before another", async () => {
    const pool = createRecognitionPool(getInstalledModels());
    const recognized: string[] = [];
    const readDocument = async (name: string, pictures: number): Promise<void> => {
      for (let left = pictures; left > 0; left--) {
        const picture = { kind: "drawn", picture: toGray(drawText(["Total 12.50"])) } as const;
        const { kind } = await pool.recognize({ picture, number: 1, attachment: "" }, left);
        recognized.push(kind === "result" ? name : kind);
      }
    };
    try {
      // The first one occupies the thread, and the others wait in this order.
      await Promise.all([
        readDocument("first", 1),
        readDocument("scan", 2),
        readDocument("other scan", 2),
        readDocument("photograph", 1),
      ]);
      expect(recognized.join(", ")).toBe("first, photograph, scan, scan, other scan, other scan");
    } finally {
      await pool.close();
    }
  }, 120_000);

  it("are recognized at the same time by several threads", async () => {
    const pool = createRecognitionPool(getInstalledModels(), 2);
    const recognized: string[] = [];
    const recognize = async (name: string, lines: number): Promise<void> => {
      const drawn = drawText(Array.from({ length: lines }, (_, line) => `Item ${line} costs 12.50`));
      const picture = { kind: "drawn", picture: toGray(drawn) } as const;
      const { kind } = await pool.recognize({ picture, number: 1, attachment: "" }, 1);
      recognized.push(kind === "result" ? name : kind);
    };
    try {
      // Both threads are ready after their first picture.
      await Promise.all([recognize("first", 1), recognize("first", 1)]);
      await Promise.all([recognize("long", 12), recognize("short", 1)]);
      expect(recognized).toEqual(["first", "first", "short", "long"]);
    } finally {
      await pool.close();
    }
  }, 120_000);

  it("leave the queue when nobody waits for them, and are rejected when the pool is closed", async () => {
    const pool = createRecognitionPool(getInstalledModels());
    const picture = () => ({ kind: "drawn", picture: toGray(drawText(["Total 12.50"])) }) as const;
    const gone = new AbortController();
    const [first, abandoned, waiting] = [undefined, gone.signal, undefined].map((signal) =>
      pool.recognize({ picture: picture(), number: 1, attachment: "" }, 1, signal).then(
        ({ kind }) => kind,
        (error: unknown) => error,
      ),
    );
    const reason = new Error("nobody waits");
    gone.abort(reason);
    expect(await abandoned).toBe(reason);
    expect(await first).toBe("result");
    await pool.close();
    expect(await waiting).toMatchObject({ message: expect.stringContaining("closed") });
    await expect(pool.recognize({ picture: picture(), number: 1, attachment: "" }, 1)).rejects.toThrow("closed");
  }, 120_000);
});
