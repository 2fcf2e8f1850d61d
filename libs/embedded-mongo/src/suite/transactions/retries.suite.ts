import type { Document } from "mongodb";
import { getFailure, numbered, type SuiteContext } from "../context.suite.ts";

/** Tests writes that clients repeat because they did not get the reply. */
export function describeRetries(context: SuiteContext): void {
  describe("retried writes", () => {
    const name = (): string => context.things().collectionName;
    /** Commands on `{ _id: 1, n: 1 }`, and the documents after one of them was applied, however often it was sent. */
    const writes: [string, () => Document, Document[]][] = [
      ["an insert", () => ({ insert: name(), documents: [{ _id: 2 }] }), [{ _id: 1, n: 1 }, { _id: 2 }]],
      [
        "an update",
        () => ({ update: name(), updates: [{ q: { _id: 1 }, u: { $inc: { n: 1 } } }] }),
        [{ _id: 1, n: 2 }],
      ],
      [
        "an upsert",
        () => ({ update: name(), updates: [{ q: { _id: 2 }, u: { $inc: { n: 1 } }, upsert: true }] }),
        [
          { _id: 1, n: 1 },
          { _id: 2, n: 1 },
        ],
      ],
      ["a deletion", () => ({ delete: name(), deletes: [{ q: {}, limit: 1 }] }), []],
      [
        "findAndModify",
        () => ({ findAndModify: name(), query: { _id: 1 }, update: { $inc: { n: 5 } }, new: true }),
        [{ _id: 1, n: 6 }],
      ],
      ["findAndModify that removes", () => ({ findAndModify: name(), query: { _id: 1 }, remove: true }), []],
      [
        "several updates",
        () => ({
          update: name(),
          updates: [1, 2].map((by) => ({ q: { _id: 1 }, u: { $inc: { n: by } } })),
        }),
        [{ _id: 1, n: 4 }],
      ],
    ];
    it.each(writes)("are applied once, with the same reply: %s", async (_, command, expected) => {
      await context.things().insertOne({ _id: 1, n: 1 });
      await numbered(context, async (send) => {
        const getEffect = ({ n, nModified, upserted, value, writeErrors }: Document): unknown =>
          JSON.stringify({ n, nModified, upserted, value, writeErrors });
        const first = getEffect(await send({ ...command(), txnNumber: 1 }));
        expect(getEffect(await send({ ...command(), txnNumber: 1 }))).toEqual(first);
        expect(getEffect(await send({ ...command(), txnNumber: 1 }))).toEqual(first);
      });
      expect(await context.things().find().sort({ _id: 1 }).toArray()).toEqual(expected);
    });

    it("are new with a higher number, and too old with a lower one", () =>
      numbered(context, async (send) => {
        await context.things().insertOne({ _id: 1, n: 0 });
        const updates = [{ q: { _id: 1 }, u: { $inc: { n: 1 } } }];
        for (const txnNumber of [1, 2, 2, 5]) await send({ update: name(), updates, txnNumber });
        expect(await getFailure(send({ update: name(), updates, txnNumber: 4 }))).toMatchObject({ code: 225 });
        expect((await context.things().findOne({})).n).toBe(3);
      }));

    it("are different writes in other sessions", async () => {
      await context.things().insertOne({ _id: 1, n: 0 });
      const updates = [{ q: { _id: 1 }, u: { $inc: { n: 1 } } }];
      for (let each = 0; each < 2; each += 1) {
        await numbered(context, async (send) => {
          await send({ update: name(), updates, txnNumber: 1 });
          await send({ update: name(), updates, txnNumber: 1 });
        });
      }
      expect((await context.things().findOne({})).n).toBe(2);
    });

    it("report duplicate keys again, and apply the other writes once", () =>
      numbered(context, async (send) => {
        await context.things().insertOne({ _id: 2 });
        const insert = { insert: name(), documents: [1, 2, 3].map((_id) => ({ _id })), ordered: false, txnNumber: 1 };
        for (let each = 0; each < 2; each += 1) {
          const failure = await send(insert).catch((error: { errorResponse: Document }) => error.errorResponse);
          expect([failure.n, failure.writeErrors.map(({ index, code }: Document) => [index, code])]).toEqual([
            2,
            [[1, 11000]],
          ]);
        }
        expect(await context.ids({})).toEqual([1, 2, 3]);
      }));

    it("are applied once if they arrive twice at the same time, with the same reply", async () => {
      await context.things().insertMany(Array.from({ length: 50 }, (_, _id) => ({ _id, n: 0 })));
      const updates = Array.from({ length: 50 }, (_, _id) => ({ q: { _id }, u: { $inc: { n: 1 } } }));
      updates.push({ q: { _id: 50 }, u: { $inc: { n: 1 } }, upsert: true } as (typeof updates)[number]);
      await numbered(context, async (send) => {
        const sent = [1, 2, 3].map(() => send({ update: name(), updates, ordered: false, txnNumber: 1 }));
        for (const reply of await Promise.all(sent)) {
          expect(reply).toMatchObject({ n: 51, nModified: 50, upserted: [{ index: 50, _id: 50 }] });
        }
      });
      expect(await context.things().countDocuments({ n: 1 })).toBe(51);
    });

    it("commit a transaction once if the commit arrives twice at the same time", () =>
      numbered(context, async (send) => {
        await context.things().insertOne({ _id: 0 });
        const documents = Array.from({ length: 50 }, (_, n) => ({ _id: n + 1 }));
        await send({ insert: name(), documents, txnNumber: 1, autocommit: false, startTransaction: true });
        const commit = { commitTransaction: 1, txnNumber: 1, autocommit: false };
        const replies = await Promise.all([send(commit), send(commit)]);
        expect(replies.map(({ ok }) => ok)).toEqual([1, 1]);
        expect(await context.things().countDocuments()).toBe(51);
      }));

    const many = async (): Promise<Document> => {
      let reply: Document = {};
      await context.things().insertOne({ _id: 1 });
      await numbered(context, async (send) => {
        const updates = [{ q: {}, u: { $set: { a: 1 } }, multi: true }];
        reply = await send({ update: name(), updates, txnNumber: 1 });
      });
      return reply;
    };
    context.differs("cannot change many documents", "sessions", {
      async real() {
        expect(await many()).toMatchObject({ n: 0, writeErrors: [{ code: 72 }] });
      },
      async here() {
        expect(await many()).toMatchObject({ n: 1, nModified: 1 });
      },
    });

    it("cannot have the number of a transaction", () =>
      numbered(context, async (send) => {
        await send({ insert: name(), documents: [{ _id: 1 }], txnNumber: 1 });
        const begun = { txnNumber: 1, autocommit: false, startTransaction: true };
        expect(await getFailure(send({ find: name(), ...begun }))).toMatchObject({
          code: context.code({ real: 117, here: 251, reason: "sessions" }),
        });
      }));
  });
}
