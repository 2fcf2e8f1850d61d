import { parseCommandLine } from "./command-line.ts";

function read(argv: readonly string[]) {
  let [out, error] = ["", ""];
  const parsed = parseCommandLine(argv, "1.2.3", { out: (text) => (out += text), error: (text) => (error += text) });
  return { ...parsed, out, error };
}

describe("the arguments of switchyard-server", () => {
  it.each([
    ["start", { kind: "start", demo: false }],
    ["start --demo", { kind: "start", demo: true }],
    ["bootstrap Acme", { kind: "bootstrap", organizationName: "Acme", another: false }],
    ["bootstrap --another Acme", { kind: "bootstrap", organizationName: "Acme", another: true }],
    ["token org_1", { kind: "token", organization: "org_1" }],
    ["store export", { kind: "export", archive: undefined, fromMongo: false }],
    ["store export there", { kind: "export", archive: "there", fromMongo: false }],
    ["store export --from-mongodb there", { kind: "export", archive: "there", fromMongo: true }],
    ["store import", { kind: "import", archive: undefined, toEmbedded: false, replace: false }],
    ["store import there --replace", { kind: "import", archive: "there", toEmbedded: false, replace: true }],
    ["store import --to-embedded", { kind: "import", archive: undefined, toEmbedded: true, replace: false }],
  ])("are read: %s", (line, command) => {
    expect(read(line.split(" "))).toEqual({ command, out: "", error: "" });
  });

  it("take a name with blanks, trimmed", () => {
    expect(read(["bootstrap", " My organization "]).command).toMatchObject({ organizationName: "My organization" });
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
    ["store", /Usage: switchyard-server store/],
    ["store export a b", /too many arguments/],
    ["store export --replace", /unknown option '--replace'/],
    ["store export --to-embedded", /unknown option '--to-embedded'/],
    ["store import --from-mongodb", /unknown option '--from-mongodb'/],
    ["store import --force", /unknown option '--force'/],
  ])("name what is wrong, with exit code 2: %s", (line, told) => {
    expect(read(line.split(" "))).toEqual({
      command: undefined,
      exitCode: 2,
      out: "",
      error: expect.stringMatching(told),
    });
  });

  it("are at least one, and no empty name", () => {
    expect(read([])).toMatchObject({ exitCode: 2, out: "", error: expect.stringContaining("bootstrap") });
    expect(read(["bootstrap", "  "])).toMatchObject({ exitCode: 2, error: expect.stringContaining("is empty") });
  });

  it.each(["--version", "version"])("tell the version: %s", (line) => {
    expect(read([line])).toMatchObject({ command: undefined, exitCode: 0, out: "1.2.3\n", error: "" });
  });

  it.each(["--help", "-h", "help", "help token", "start --help"])("tell what there is: %s", (line) => {
    const { exitCode, out } = read(line.split(" ")) as { exitCode: number; out: string };
    expect([exitCode, out]).toEqual([0, expect.stringMatching(/^Usage: switchyard-server/)]);
  });
});
