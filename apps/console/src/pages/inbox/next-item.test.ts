import type { ReviewItem } from "@switchyard/client";
import { findNext } from "./next-item.ts";

describe("the next item of the review list", () => {
  const items = [
    { classificationId: "cls_1", extractionId: null },
    { classificationId: null, extractionId: "ext_1" },
    { classificationId: "cls_2", extractionId: null },
  ] as unknown as ReviewItem[];

  it("follows the one in view, and starts again after the last", () => {
    expect(findNext(items, "cls_1")).toBe(items[1]);
    expect(findNext(items, "ext_1")).toBe(items[2]);
    expect(findNext(items, "cls_2")).toBe(items[0]);
    expect(findNext(items, "cls_gone")).toBe(items[0]);
    expect(findNext(items.slice(0, 1), "cls_1")).toBeUndefined();
    expect(findNext([], "cls_1")).toBeUndefined();
  });
});
