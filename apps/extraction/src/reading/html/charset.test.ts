import { findMetaCharset } from "./charset.ts";

describe("the encoding that HTML names", () => {
  it.each([
    ['<meta charset="windows-1251">', "windows-1251"],
    ["<META http-equiv=Content-Type content='text/html; charset=koi8-r'>", "koi8-r"],
    ["<p>charset=koi8-r", ""],
    ['<meta charset="utf-16">', ""],
    ["<meta content='text/html; charset=unicode'>", ""],
    ['<meta charset="unicode-1-1-utf-8">', "unicode-1-1-utf-8"],
  ])("is found in %s, unless it cannot be true", (html, charset) => {
    expect(findMetaCharset(Buffer.from(`<html><head>${html}</head>`))).toBe(charset);
  });
});
