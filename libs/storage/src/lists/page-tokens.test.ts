import { getProblemFacts } from "@switchyard/rpc";
import { openPage } from "./open-page.ts";
import { createPageTokens, getPageSize } from "./page-tokens.ts";

const tokens = createPageTokens(new Uint8Array(32).fill(7));
const query = { projectId: "prj_1", status: 2, nested: { b: 1, a: [1, 2] }, limit: 10, pageToken: "" };

function refusal(work: () => unknown): unknown {
  try {
    return work();
  } catch (error) {
    const { reason, violations } = getProblemFacts(error);
    return [reason, violations.map((violation) => violation.field)];
  }
}

describe("page tokens", () => {
  it("return the position for the same query, with its fields in any order", () => {
    const token = tokens.encode(query, ["2026-01-01", "cls_ä"]);
    const reordered = {
      pageToken: token,
      nested: { a: [1, 2], b: 1 },
      status: 2,
      projectId: "prj_1",
      other: undefined,
    };
    expect(tokens.decode(reordered, token)).toEqual(["2026-01-01", "cls_ä"]);
  });

  it.each([
    ["another query", { ...query, status: 1 }],
    ["a query with an additional field", { ...query, reason: "x" }],
    ["a query with a list in another order", { ...query, nested: { b: 1, a: [2, 1] } }],
  ])("are rejected for %s", (_name, other) => {
    const token = tokens.encode(query, ["a"]);
    expect(refusal(() => tokens.decode(other, token))).toEqual(["INVALID_REQUEST", ["pageToken"]]);
  });

  it("are rejected if they are changed, truncated, empty, or signed with another key", () => {
    const token = tokens.encode(query, ["a"]);
    const [payload = "", signature = ""] = token.split(".");
    const forged = Buffer.from(JSON.stringify(["b"])).toString("base64url");
    const foreign = createPageTokens(new Uint8Array(32).fill(8)).encode(query, ["a"]);
    const wrong = [`${forged}.${signature}`, payload, `${payload}.`, "", "...", `${token}.x`, foreign];
    for (const each of wrong) {
      expect(refusal(() => tokens.decode(query, each))).toEqual(["INVALID_REQUEST", ["pageToken"]]);
    }
  });
});

describe("getPageSize", () => {
  it("is 50 by default, and can be 1 to 500", () => {
    expect([getPageSize(undefined), getPageSize(1), getPageSize(500)]).toEqual([50, 1, 500]);
  });

  it.each([0, -1, 501, 1.5, Number.NaN])("rejects %p", (limit) => {
    expect(refusal(() => getPageSize(limit))).toEqual(["INVALID_REQUEST", ["limit"]]);
  });
});

describe("openPage", () => {
  const request = (limit: number | undefined, pageToken = "") => ({ limit, pageToken });
  const letters = [..."abcde"];
  const read = (limit: number | undefined, pageToken?: string) => {
    const page = openPage(tokens, query, request(limit, pageToken));
    const start = page.after === undefined ? 0 : letters.indexOf(page.after) + 1;
    return page.take(letters.slice(start, start + page.size + 1), (letter) => letter);
  };

  it("returns the items up to the page size, and a token unless it is the last page", () => {
    const first = read(2);
    expect(first.items).toEqual(["a", "b"]);
    const second = read(3, first.nextPageToken);
    expect(second).toEqual({ items: ["c", "d", "e"] });
    expect(read(5)).toEqual({ items: letters });
    expect(read(undefined).items).toEqual(letters);
  });

  it("rejects a limit that is out of bounds, and then a token of another query", () => {
    expect(refusal(() => openPage(tokens, query, request(0, "wrong")))).toEqual(["INVALID_REQUEST", ["limit"]]);
    expect(refusal(() => openPage(tokens, query, request(1, "wrong")))).toEqual(["INVALID_REQUEST", ["pageToken"]]);
  });
});
