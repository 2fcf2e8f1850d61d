import { getQuota, selectTexts } from "./text-selection.ts";

function createTexts(routeId: string | null, count: number) {
  return Array.from({ length: count }, (_, number) => ({
    id: `cls_${String(number).padStart(4, "0")} ${String(routeId)}`,
    routeId,
    text: "",
  }));
}

describe("the selection of texts", () => {
  it.each([
    [[5, 5], 20, 5],
    [[100, 5], 20, 15],
    [[100, 100, 2], 20, 9],
    [[], 20, 1],
  ])("has a quota for routes with %j texts", (sizes, max, expected) => {
    expect(getQuota(sizes, max)).toBe(expected);
  });

  it("keeps the latest texts of the routes with the most, in order of their IDs", () => {
    const texts = [...createTexts("a", 300), ...createTexts("b", 4), ...createTexts(null, 40)];
    const selected = selectTexts(texts, 50);
    expect(selected.map(({ id }) => id)).toEqual(selected.map(({ id }) => id).sort());
    expect(selected.length).toBe(50);
    expect(selected.filter(({ routeId }) => routeId === "b")).toHaveLength(4);
    expect(selected.filter(({ routeId }) => routeId === "a").at(-1)?.id).toBe("cls_0299 a");
  });
});
