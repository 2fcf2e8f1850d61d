import { BinaryReader } from "@bufbuild/protobuf/wire";

/** The number of the field `metadata_props` of the message ModelProto (onnx.proto). It contains pairs of a key (1) and a value (2). */
const metadataField = 14;

/** Returns what a model in the ONNX format says about itself, by key. Throws an error for bytes that are not a protobuf message. */
export function readMetadata(model: Uint8Array): ReadonlyMap<string, string> {
  const reader = new BinaryReader(model);
  const metadata = new Map<string, string>();
  while (reader.pos < reader.len) {
    const [field, wireType] = reader.tag();
    if (field !== metadataField) {
      reader.skip(wireType, field);
      continue;
    }
    const pair = new BinaryReader(reader.bytes());
    const texts: Record<number, string> = {};
    while (pair.pos < pair.len) {
      const [part] = pair.tag();
      texts[part] = pair.string();
    }
    metadata.set(texts[1] ?? "", texts[2] ?? "");
  }
  return metadata;
}
