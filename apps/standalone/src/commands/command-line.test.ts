import { parseCommandLine } from "./command-line.ts";

function parse(argv: readonly string[]) {
  let [out, error] = ["", ""];
  const parsed = parseCommandLine(argv, "1.2.3", { out: (text) => (out += text), error: (text) => (error += text) });
  return { ...parsed, out, error };
}

describe("parseCommandLine", () => {
  it.each([
    ["start", { kind: "start", demo: false }],
    ["start --demo", { kind: "start", demo: true }],
    ["bootstrap Acme", { kind: "bootstrap", organizationName: "Acme", another: false }],
    ["bootstrap --another Acme", { kind: "bootstrap", organizationName: "Acme", another: true }],
    ["token org_1", { kind: "token", organization: "org_1" }],
    ["quota Acme", { kind: "quota", organization: "Acme", changes: {} }],
    [
      "quota Acme --classifiers 5 --schema-versions default --stored-gigabytes 2",
      { kind: "quota", organization: "Acme", changes: { classifiers: 5, schemaVersions: null, storedBytes: 2 ** 31 } },
    ],
    ["models fetch --from a.whl", { kind: "models", folder: undefined, from: "a.whl" }],
    ["models fetch folder --from a.whl", { kind: "models", folder: "folder", from: "a.whl" }],
    ["store export", { kind: "export", archive: undefined, fromMongo: false }],
    ["store export folder", { kind: "export", archive: "folder", fromMongo: false }],
    ["store export --from-mongodb folder", { kind: "export", archive: "folder", fromMongo: true }],
    ["store import", { kind: "import", archive: undefined, toEmbedded: false, replace: false }],
    ["store import folder --replace", { kind: "import", archive: "folder", toEmbedded: false, replace: true }],
    ["store import --to-embedded", { kind: "import", archive: undefined, toEmbedded: true, replace: false }],
  ])("parses a command: %s", (line, command) => {
    expect(parse(line.split(" "))).toEqual({ command, out: "", error: "" });
  });

  it("trims a name with spaces", () => {
    expect(parse(["bootstrap", " My organization "]).command).toMatchObject({ organizationName: "My organization" });
  });

  it.each([
    ["strat", /unknown command 'strat'\n\(Did you mean start\?\)/],
    ["help strat", /unknown command 'strat'\n\(Did you mean start\?\)/],
    ["tokens Acme", /unknown command 'tokens'\n\(Did you mean token\?\)/],
    ["store exprot", /unknown command 'exprot'\n\(Did you mean export\?\)/],
    ["start --dmo", /unknown option '--dmo'\n\(Did you mean --demo\?\)/],
    ["start now", /too many arguments/],
    ["bootstrap", /missing required argument 'name'/],
    ["bootstrap a b", /too many arguments/],
    ["token", /missing required argument 'organization'/],
    ["quota", /missing required argument 'organization'/],
    ["quota Acme --models many", /argument 'many' is invalid. It must be a number from 0 to 999999999, or `default`/],
    ["quota Acme --model 5", /unknown option '--model'\n\(Did you mean --models\?\)/],
    ["store", /Usage: switchyard-server store/],
    ["models fetch", /required option '--from <place>' not specified/],
    ["store export a b", /too many arguments/],
    ["store export --replace", /unknown option '--replace'/],
    ["store export --to-embedded", /unknown option '--to-embedded'/],
    ["store import --from-mongodb", /unknown option '--from-mongodb'/],
    ["store import --force", /unknown option '--force'/],
  ])("reports an error with exit code 2: %s", (line, message) => {
    expect(parse(line.split(" "))).toEqual({
      command: undefined,
      exitCode: 2,
      out: "",
      error: expect.stringMatching(message),
    });
  });

  it("requires a command and a name that is not empty", () => {
    expect(parse([])).toMatchObject({ exitCode: 2, out: "", error: expect.stringContaining("bootstrap") });
    expect(parse(["bootstrap", "  "])).toMatchObject({
      exitCode: 2,
      error: expect.stringContaining("must not be empty"),
    });
  });

  it.each(["--version", "version"])("prints the version: %s", (line) => {
    expect(parse([line])).toMatchObject({ command: undefined, exitCode: 0, out: "1.2.3\n", error: "" });
  });

  it.each(["--help", "-h", "help", "help token", "start --help"])("prints help: %s", (line) => {
    const { exitCode, out } = parse(line.split(" ")) as { exitCode: number; out: string };
    expect([exitCode, out]).toEqual([0, expect.stringMatching(/^Usage: switchyard-server/)]);
  });
});
