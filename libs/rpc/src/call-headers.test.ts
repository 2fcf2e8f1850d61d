import fc from "fast-check";
import { createHeaders } from "./call-headers.ts";

const names = fc.constantFrom("x-a", "X-A", "grpc-timeout", "Set-Cookie", "set-cookie", "x_b", "x!c", "x d", "");
const values = fc.oneof(fc.constantFrom("1", "a b", " a ", "", "\t", "é", "\n", "a\nb", "ü, €", "\0"), fc.string());
const operations = fc.array(
  fc.oneof(
    fc.tuple(fc.constantFrom("set" as const, "append" as const), names, values),
    fc.tuple(fc.constantFrom("delete" as const, "get" as const, "has" as const), names),
  ),
);

/** Returns what `run` returns, or that it throws. */
function outcome(run: () => unknown): unknown {
  try {
    return run();
  } catch {
    return "thrown";
  }
}

/** Returns all that can be read from headers. */
function readAll(headers: Headers): unknown {
  const each: unknown[] = [];
  headers.forEach((value, name, all) => each.push([value, name, all === headers]));
  return [
    [...headers],
    [...headers.entries()],
    [...headers.keys()],
    [...headers.values()],
    headers.getSetCookie(),
    each,
  ];
}

describe("the headers of a call", () => {
  it("are what those of the platform are after the same changes", () => {
    fc.assert(
      fc.property(operations, (list) => {
        const [own, platform] = [createHeaders(), new Headers()];
        for (const [operation, name, value] of list) {
          const change = (headers: Headers) => () =>
            value === undefined ? headers[operation as "get"](name) : headers[operation as "set"](name, value);
          // A name that is not valid can only be deleted or looked up without an error here: no header has it.
          if (value !== undefined || outcome(change(platform)) !== "thrown")
            expect(outcome(change(own))).toEqual(outcome(change(platform)));
        }
        expect(readAll(own)).toEqual(readAll(platform));
      }),
    );
  });

  it.each<[string, ConstructorParameters<typeof Headers>[0]]>([
    ["an object", { "X-B": "2", "x-a": "1" }],
    [
      "a list",
      [
        ...[
          ["x-a", "1"],
          ["x-a", "2"],
        ],
      ] as [string, string][],
    ],
    [
      "headers",
      new Headers([
        ["set-cookie", "a"],
        ["set-cookie", "b"],
        ["x-a", "1"],
      ]),
    ],
    ["headers of a call", createHeaders({ "x-a": "1" })],
    ["nothing", undefined],
  ])("are created from %s as those of the platform are", (_title, source) => {
    expect(readAll(createHeaders(source))).toEqual(readAll(new Headers(source)));
    expect(readAll(new Headers(createHeaders(source)))).toEqual(readAll(new Headers(source)));
  });

  it("can be changed without their source", () => {
    const source = createHeaders({ "x-a": "1" });
    createHeaders(source).set("x-a", "2");
    expect(source.get("x-a")).toBe("1");
  });
});
