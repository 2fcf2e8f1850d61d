import type { DescField } from "@bufbuild/protobuf";
import { listDescriptors } from "./testing/descriptors.ts";

/** The names of a field in JSON and in the code of client languages. */
const getNames = ({ name, localName, jsonName }: DescField): readonly string[] => [name, localName, jsonName];

describe("the names of fields", () => {
  it("identify one field of their message, in the contract, in code and in JSON", async () => {
    const messages = await listDescriptors("message");
    const shared = messages.flatMap(({ typeName, fields }) =>
      fields.flatMap((field, index) =>
        fields
          .slice(index + 1)
          .filter((other) => getNames(other).some((name) => getNames(field).includes(name)))
          .map((other) => `${typeName}: ${field.name} and ${other.name}`),
      ),
    );
    expect(messages.length).toBeGreaterThan(200);
    expect(shared).toEqual([]);
  });
});
