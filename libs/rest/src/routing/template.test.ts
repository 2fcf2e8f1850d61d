import { expandTemplate, parseTemplate, TemplateError } from "./template.ts";

const getShape = (text: string): string => {
  const { segments, verb } = parseTemplate(text);
  const parts = segments.map((part) => (part.kind === "literal" ? part.value : part.kind === "one" ? "*" : "**"));
  return `/${parts.join("/")}${verb === undefined ? "" : `:${verb}`}`;
};

describe("parseTemplate", () => {
  it.each([
    ["/", "/", []],
    ["/shelves", "/shelves", []],
    ["/**", "/**", []],
    ["/*", "/*", []],
    ["/a:foo", "/a:foo", []],
    ["/a/b/c", "/a/b/c", []],
    ["/*:verb", "/*:verb", []],
    ["/**:verb", "/**:verb", []],
    ["/{a}", "/*", ["a 0-1"]],
    ["/{a.b.c}", "/*", ["a.b.c 0-1"]],
    ["/{a=*}", "/*", ["a 0-1"]],
    ["/{a=**}", "/**", ["a 0-1 many open"]],
    ["/{a=b}", "/b", ["a 0-1"]],
    ["/{a=b/*}", "/b/*", ["a 0-2 many"]],
    ["/{a=b/*}/c/{d}", "/b/*/c/*", ["a 0-2 many", "d 3-4"]],
    ["/{a=b/**}", "/b/**", ["a 0-2 many open"]],
    ["/v1/{name=x/*/y/**}:go", "/v1/x/*/y/**:go", ["name 1-5 many open"]],
    ["/a-b_c.d~e/%20", "/a-b_c.d~e/%20", []],
  ])("reads %s", (text, shape, variables) => {
    expect(getShape(text)).toBe(shape);
    expect(
      parseTemplate(text).variables.map(
        ({ field, start, end, multiple, open }) =>
          `${field} ${start}-${end}${multiple ? " many" : ""}${open ? " open" : ""}`,
      ),
    ).toEqual(variables);
  });

  it.each([
    "",
    "shelves",
    "//",
    "/a/",
    "/a//b",
    "/{}",
    "/{a",
    "/a}",
    "/{a=}",
    "/{1a}",
    "/{a.}",
    "/{.a}",
    "/{a=b/{c}}",
    "/{a}/{a}",
    "/**/*",
    "/**/a",
    "/{a=**}/b",
    "/***",
    "/a*",
    "/a:",
    "/:verb",
    "/a:b:c",
    "/a b",
    "/a?b",
    "/%2",
    "/{a=b:c}",
  ])("rejects %j", (text) => {
    expect(() => parseTemplate(text)).toThrow(TemplateError);
  });
});

describe("expandTemplate", () => {
  it.each([
    ["/a/{b}", { b: "x y/z" }, "/a/x%20y%2Fz"],
    ["/a/{b=c/**}:go", { b: "c/d e/f" }, "/a/c/d%20e/f:go"],
    ["/a/{b}", {}, undefined],
    ["/a/{b}", { b: "" }, undefined],
    ["/a/*", {}, undefined],
  ])("fills %s with %j", (text, values: Record<string, string>, expected) => {
    expect(expandTemplate(parseTemplate(text), (name) => values[name])).toBe(expected);
  });
});
