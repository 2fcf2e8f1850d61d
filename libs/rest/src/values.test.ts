import { ListModelsRequestSchema } from "@switchyard/contracts/switchyard/configuration/v1/configuration";
import { ListClassifiersRequestSchema } from "@switchyard/contracts/switchyard/classifier/v1/classifier";
import { toRestName } from "./field-paths.ts";
import { createTextFieldsReader, splitQuery } from "./requests/query.ts";
import { contentDisposition } from "./responses/response.ts";

describe("query parameters", () => {
  const read = createTextFieldsReader([
    ...ListClassifiersRequestSchema.fields,
    ...ListModelsRequestSchema.fields.slice(1),
  ]);
  const outcome = (query: string) => {
    const parameters = splitQuery(query);
    const values = parameters.ok ? read(parameters.value) : parameters;
    return values.ok
      ? Object.fromEntries(values.value.map(([path, value]) => [toRestName(path), value]))
      : values.violations.map(({ field }) => field);
  };

  it.each([
    ["", {}],
    ["&&", {}],
    ["projectId=a+b%20c%2Bd", { projectId: "a b c+d" }],
    ["projectId", { projectId: "" }],
    ["projectId=a=b", { projectId: "a=b" }],
    ["limit=10&pageToken=x&status=ACTIVE", { limit: 10, pageToken: "x", status: 1 }],
    ["limit=-2147483648", { limit: -2147483648 }],
    ["limit=2147483648", ["limit"]],
    ["limit=1.0", ["limit"]],
    ["limit=1e2", ["limit"]],
    ["limit=+1", ["limit"]],
    ["limit=%201", ["limit"]],
    ["limit=07", ["limit"]],
    ["limit=0x10", ["limit"]],
    ["limit=NaN", ["limit"]],
    ["status=active", ["status"]],
    ["%5Bprojectid%5D=1", ["[projectid]"]],
    ["projectId=%ff", ["projectId"]],
    ["%zz=1", ["%zz"]],
    ["a=1&b=2&limit=x", ["a", "b", "limit"]],
    ["__proto__=1", ["__proto__"]],
  ])("are read from %j", (query, expected) => {
    expect(outcome(query)).toEqual(expected);
  });
});

describe("contentDisposition", () => {
  it.each([
    [undefined, "attachment"],
    ["", "attachment"],
    ["a b.pdf", 'attachment; filename="a b.pdf"'],
    ["a;b=c.pdf", 'attachment; filename="a;b=c.pdf"'],
    ['a"b.pdf', `attachment; filename="a_b.pdf"; filename*=UTF-8''a%22b.pdf`],
    ["100%.pdf", `attachment; filename="100_.pdf"; filename*=UTF-8''100%25.pdf`],
    ["naïve (1)'*.txt", `attachment; filename="na_ve (1)'*.txt"; filename*=UTF-8''na%C3%AFve%20%281%29%27%2A.txt`],
    ["a\r\nset-cookie: x", 'attachment; filename="a__set-cookie: x"'],
    ["../../etc/passwd", 'attachment; filename=".._.._etc_passwd"'],
    ["c:\\x.exe", 'attachment; filename="c:_x.exe"'],
    ["\ud800.pdf", 'attachment; filename="_.pdf"'],
    ["€.pdf", `attachment; filename="_.pdf"; filename*=UTF-8''%E2%82%AC.pdf`],
  ])("encodes the name %j", (filename, expected) => {
    expect(contentDisposition(filename)).toBe(expected);
  });
});
