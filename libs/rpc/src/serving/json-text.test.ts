import { getProblemFacts } from "../errors.ts";
import { maxJsonValues } from "@switchyard/contracts/json-limits";
import { decodeJson } from "./json-text.ts";

/** Returns the fields of the violations in the bytes of a message. */
function refused(bytes: Uint8Array): string[] {
  try {
    decodeJson(bytes);
    return [];
  } catch (error) {
    const { reason, violations } = getProblemFacts(error);
    expect(reason).toBe("INVALID_REQUEST");
    return violations.map(({ field }) => field);
  }
}

describe("decodeJson", () => {
  it.each(["", "{", '{"name":"Größe 😀"}', String.raw`{"name":"\ud83d\ude00 \\ud800 \u00e4"}`])(
    "decodes %s",
    (text) => {
      expect(decodeJson(Buffer.from(text))).toBe(text);
    },
  );

  it("refuses bytes that are not UTF-8, even repeatedly, and decodes others after them", () => {
    const latin1 = Buffer.from('{"name":"Größe"}', "latin1");
    for (let round = 0; round < 2; round += 1) expect(refused(latin1)).toEqual([""]);
    expect(decodeJson(Buffer.from('"ö"'))).toBe('"ö"');
  });

  it.each([
    [String.raw`{"name":"\ud800"}`, ["name"]],
    [String.raw`{"rows":[{"a":"x"},{"a":"\uDFFF","b":["\udc00\ud800"]}]}`, ["rows[1].a", "rows[1].b[0]"]],
    [String.raw`{"values":{"\ud800":1}}`, ["values.\ufffd"]],
  ])("refuses text that is not well-formed, with its place: %s", (text, fields) => {
    expect(refused(Buffer.from(text))).toEqual(fields);
  });

  it("limits the number of values to as many as 1 MiB can contain", () => {
    const zeros = (count: number): string => `[${"0,".repeat(count - 1)}0]`;
    const text = JSON.stringify({ text: String.raw`,[{\",`.repeat(200_000), data: "A".repeat(1024 * 1024) });
    for (const accepted of [zeros(maxJsonValues - 2), text, `[${zeros(1000)},${text}]`])
      expect(refused(Buffer.from(accepted))).toEqual([]);
    for (const many of [zeros(maxJsonValues + 1), `[${text},${zeros(maxJsonValues)}]`, "[".repeat(2_000_000)])
      expect(refused(Buffer.from(many))).toEqual([""]);
  });
});
