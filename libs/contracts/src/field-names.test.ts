import type { DescField, DescMessage } from "@bufbuild/protobuf";
import { readdirSync } from "node:fs";
import { join } from "node:path";

const generated = join(import.meta.dirname, "gen");

/** Every message of the contracts, nested ones included. */
async function allMessages(): Promise<DescMessage[]> {
  const files = readdirSync(generated, { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith("_pb.ts"));
  const modules = await Promise.all(files.map((name) => import(join(generated, name)) as Promise<object>));
  return modules.flatMap((exports) =>
    Object.values(exports).filter((value): value is DescMessage => (value as { kind?: unknown }).kind === "message"),
  );
}

/** The names that readers of JSON and code in the languages of clients know a field by. */
const getNames = ({ name, localName, jsonName }: DescField): readonly string[] => [name, localName, jsonName];

describe("the names of fields", () => {
  it("each mean one field of their message, in the contract, in code and in JSON", async () => {
    const messages = await allMessages();
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
