import { createByteCollector } from "./request-body.ts";

describe("a collector of the bytes of a body", () => {
  const chunks = [1, 65_536, 7, 300_000, 65_536, 0, 1_000_000].map((length, index) => Buffer.alloc(length, index + 1));
  const all = Buffer.concat(chunks);

  it.each([0, 10, all.length - 1, all.length, all.length + 100])("returns all of them if it expects %d", (expected) => {
    const body = createByteCollector(expected);
    for (const chunk of chunks) body.add(chunk);
    expect(body.size).toBe(all.length);
    expect(all.equals(body.getBytes())).toBe(true);
  });

  it("takes exactly the space that is announced, but little before the bytes arrive", () => {
    const body = createByteCollector(all.length);
    body.add(chunks[0]!);
    expect(body.getBytes().buffer.byteLength).toBeLessThan(64);
    for (const chunk of chunks.slice(1)) body.add(chunk);
    expect(body.getBytes().buffer.byteLength).toBe(all.length);
  });
});
