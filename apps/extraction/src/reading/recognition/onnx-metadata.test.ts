import { BinaryWriter, WireType } from "@bufbuild/protobuf/wire";
import { readMetadata } from "./onnx-metadata.ts";

describe("readMetadata", () => {
  it("finds the pairs of a model among its other fields", () => {
    const pair = (key: string, value: string): Uint8Array =>
      new BinaryWriter()
        .tag(1, WireType.LengthDelimited)
        .string(key)
        .tag(2, WireType.LengthDelimited)
        .string(value)
        .finish();
    const model = new BinaryWriter()
      .tag(1, WireType.Varint)
      .int64(8)
      .tag(7, WireType.LengthDelimited)
      .bytes(new Uint8Array(1_000).fill(14))
      .tag(14, WireType.LengthDelimited)
      .bytes(pair("character", "a\nß"))
      .tag(14, WireType.LengthDelimited)
      .bytes(pair("author", ""))
      .finish();
    expect([...readMetadata(model)]).toEqual([
      ["character", "a\nß"],
      ["author", ""],
    ]);
    expect(readMetadata(new Uint8Array())).toEqual(new Map());
  });
});
