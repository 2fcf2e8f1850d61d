import { getExtension, parseFilename } from "./filename.ts";

describe("parseFilename", () => {
  it.each([
    ["invoice 17.pdf", "invoice 17.pdf"],
    ["  Rechnung Müller.pdf\n", "Rechnung Müller.pdf"],
    ["../../etc/passwd", ".._.._etc_passwd"],
    ["C:\\invoices\\1.pdf", "C:_invoices_1.pdf"],
    ["a\r\nSet-Cookie: b", "a__Set-Cookie: b"],
    ["exe.\u202efdp", "exe._fdp"],
    ["half \ud800 pair", "half _ pair"],
    ["..", "__"],
    [".", "_"],
    ["😀".repeat(255), "😀".repeat(255)],
  ])("stores %j as %j", (given, filename) => {
    expect(parseFilename(given, "filename")).toEqual({ filename });
  });

  it.each(["", "  ", "\n", "a".repeat(256)])("rejects %j", (given) => {
    expect(parseFilename(given, "content.filename")).toMatchObject({ violation: { field: "content.filename" } });
  });
});

it("returns the extension of a file name", () => {
  expect(["a.PDF", "a.tar.gz", "a", ".txt", "a.b c", "a."].map(getExtension)).toEqual([
    ".pdf",
    ".gz",
    "",
    ".txt",
    "",
    "",
  ]);
});
