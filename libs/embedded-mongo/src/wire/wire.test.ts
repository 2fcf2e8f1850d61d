import type { Timestamp } from "bson";
import { decode, encode } from "../values/values.ts";
import { withClusterTime } from "./wire.ts";

it("adds a cluster time to every reply, even after 2^32 of them", () => {
  const counts = [1, 2 ** 32 - 1, 2 ** 32, 2 ** 32 + 1].map((tick) => {
    const { ok, operationTime, $clusterTime } = decode(withClusterTime(encode({ ok: 1 }), tick));
    expect({ ok, $clusterTime }).toMatchObject({ ok: { value: 1 }, $clusterTime: { clusterTime: operationTime } });
    return (operationTime as Timestamp).i;
  });
  expect(counts).toEqual([1, 2 ** 32 - 1, 0, 1]);
});
