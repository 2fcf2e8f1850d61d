import fc from "fast-check";
import { convert } from "html-to-text";
import { htmlToText } from "../html/html.ts";
import { boundedHtml } from "../html/bounds.ts";
import { createBudget, defaultLimits, maxHtml, maxNestedFormats } from "../limits.ts";
import { readDecoded } from "./plain.ts";
import { separateRtf } from "./rtf.ts";
import { parseRows } from "./table.ts";

function linesIn(text: string): string[][] {
  const reading = readDecoded(text, { budget: createBudget(defaultLimits), depth: 0 });
  return reading.pages.map((page) => page.lines.map((line) => line.text));
}

describe("reading plain text", () => {
  it("starts pages at form feeds, without empty pages", () => {
    expect(linesIn("one\n\fthree\n\f\f")).toEqual([["one"], ["three"]]);
    expect(linesIn(" \n")).toEqual([[]]);
  });

  it("supports millions of form feeds and line breaks", () => {
    expect(linesIn(`first${"\f".repeat(2_000_000)}${"\n".repeat(2_000_000)}last`)).toEqual([["first"], ["last"]]);
  });

  it("is limited to the maximum number of lines, and reports it", () => {
    const budget = createBudget({ ...defaultLimits, maxLines: 3 });
    const { pages } = readDecoded("1\n2\n\n3\f4", { budget, depth: 0 });
    expect(pages.map((page) => page.lines.length)).toEqual([3, 0]);
    expect(budget.omissions()).toEqual(["Only the first 3 lines were read."]);
  });
});

describe("reading HTML", () => {
  it("returns rows of tables as lines with tabs, and blocks as lines, without scripts", () => {
    const html = `<html><head><title>Invoice &amp; more</title><style>p{}</style></head><body><h1>Hello</h1>
      <p>Some <b>bold</b> <a href="http://x">link</a><br>next</p><script>var x</script>
      <table><tr><th>Item</th><th>Price</th></tr><tr><td><p>Long name of<br>a thing</p></td><td><p>12.00</p></td></tr></table>`;
    expect(linesIn(htmlToText(html))).toEqual([
      ["Invoice & more", "Hello", "Some bold link", "next", "Item\tPrice", "Long name of\t12.00", "a thing"],
    ]);
  });

  it("returns the terms and descriptions of lists, centered text, captions and addresses as lines", () => {
    const html = `<center>Acme<b> Ltd</b></center><center>Invoice</center><dl><dt>Number</dt><dd>4711</dd><dt>Total</dt><dd>12.50</dd></dl>
      <address>Main Street 1</address><fieldset><legend>Payer</legend>Foo</fieldset><figure>x<figcaption>Picture</figcaption></figure>
      <table><caption>Items</caption><tr><td>Paper</td><td>12.50</td></tr></table><details><summary>More</summary>text</details>`;
    expect(linesIn(htmlToText(html))[0]?.join("|")).toBe(
      "Acme Ltd|Invoice|Number|4711|Total|12.50|Main Street 1|Payer|Foo|x|Picture|Items|Paper\t12.50|More|text",
    );
  });

  it.each([
    ["characters of the HTML source", `<!--${"a".repeat(maxHtml.characters - 4)}`, "a", maxHtml.characters],
    ["elements of the HTML source", "<br>".repeat(maxHtml.elements), "<br>", maxHtml.elements],
  ])("is limited to the maximum number of %s, and reports it", (what, whole, more, count) => {
    const budget = createBudget(defaultLimits);
    expect(boundedHtml(whole, budget)).toBe(whole);
    expect(budget.omissions()).toEqual([]);
    expect(boundedHtml(`${whole}${more}`, budget)).toBe(whole);
    expect(budget.omissions()).toEqual([`Only the first ${count} ${what} were read.`]);
  });

  it("is limited to the maximum number of characters of a document, not counting scripts, and reports it", () => {
    const budget = createBudget({ ...defaultLimits, maxCharacters: 3 });
    const read = "<script>var x = 1;</script><p>a  b</p>\n\n\n<p>&amp;</p>";
    expect(boundedHtml(read, budget)).toBe(read);
    expect(budget.omissions()).toEqual([]);
    expect(boundedHtml(`${read}<p>d</p><p>e</p>`, budget)).toBe(`${read}<p>d`);
    expect(budget.omissions()).toEqual(["Only the first 3 characters were read."]);
  });

  it("uses plain blocks for lists, quotations and tables that are nested too deeply, without losing text", () => {
    const deep = (open: string, more: number) => `${open.repeat(maxNestedFormats)}${more > 0 ? open.repeat(more) : ""}`;
    const bounded = (html: string) => boundedHtml(html, createBudget(defaultLimits));
    const whole = `${deep("<blockquote>", 0)}<p>a`;
    expect(bounded(whole)).toBe(whole);
    expect(bounded(`${deep("<ul><li>", 1)}a<li>b</ul>c<li>d`)).toBe(
      `${deep("<ul><li>", 0)}<div><div>a</div><div>b</div></div>c<li>d`,
    );
    expect(bounded(`${deep("<blockquote>", 0)}<table class="x"><tr><td>a<td>b</table>c`)).toBe(
      `${deep("<blockquote>", 0)}<div><div><div>a</div><div>b</div></div></div>c`,
    );
  });

  // Each of these once took minutes, or more than the available memory.
  it.each(["<blockquote>", "<table><tr><td>"])("takes bounded time if %s is nested", (open) => {
    const source = `${open.repeat(160)}<pre>${"a\n".repeat(1_000_000)}`;
    const html = boundedHtml(source, createBudget(defaultLimits)) ?? "";
    expect(htmlToText(html).replace(/[^a]/g, "").length).toBeGreaterThan(200_000);
  });

  it.each([
    ["I", "3998", ["MMMCMXCVIII", "MMMCMXCIX", "4000"]],
    ["i", "9999", ["9999", "10000", "10001"]],
    ["I", "-1", ["-1", "0", "I"]],
    ["a", "26", ["z", "aa", "ab"]],
    ["A", "0", ["0", "A", "B"]],
    ["1", "99999999999999999999", ["1", "2", "3"]],
    ["I", "none", ["I", "II", "III"]],
  ])("numbers the items of a list of type %s from %s", (type, start, markers) => {
    const html = `<ol type="${type}" start="${start}"><li>item<li>item<li>item</ol>`;
    const text = htmlToText(html).replace(/ +/g, " ");
    expect(linesIn(text)).toEqual([markers.map((marker) => `${marker}. item`)]);
  });

  it("formats ordered lists like html-to-text", () => {
    const html = `<p>before<ol> <li>one<p>more</p><ol type="a"><li>inner</ol></li>text<b>bold</b><li></ol><ol></ol>after`;
    for (const type of ["1", "a", "A", "i", "I"]) {
      const source = html.replace("<ol>", `<ol type="${type}" start="48">`);
      expect(linesIn(htmlToText(source))).toEqual(linesIn(convert(source, { wordwrap: false })));
    }
  });

  it("supports elements that are nested deeply or not closed", () => {
    expect(htmlToText(`${"<div>".repeat(5000)}<p>deep`)).not.toContain("<");
    expect(linesIn(htmlToText("<table><tr><td>a<td>b<tr><td>c"))).toEqual([["a\tb", "c"]]);
  });
});

describe("reading RTF", () => {
  const rtfToText = (rtf: string, maxLength = Infinity): string => separateRtf(rtf, maxLength).text;

  it("returns paragraphs, cells and escapes, but not the table of fonts", () => {
    const rtf = String.raw`{\rtf1\ansi{\fonttbl{\f0 Arial;}}{\*\generator x;}\f0 Gr\'f6\u223?e \{x\}\par
a\cell b\cell\row \uc2\u8364 EU\b bold\b0\~end\page next}`;
    expect(linesIn(rtfToText(rtf))).toEqual([["Größe {x}", "a\tb", "€bold end"], ["next"]]);
  });

  it("decodes bytes by the character set of their font, or by the code page of the document", () => {
    const fonts = String.raw`{\fonttbl{\f0\fcharset0 Arial;}{\f1\fcharset238{\*\panose 02}Arial CE;}{\f2\fcharset128 Mincho;}{\f3 Other;}}`;
    const body = String.raw`\f0 \'b3 {\f1 \'b3\'b9 {\plain\'b3}} \f2 \'93\'fa\'83A\'93\par \f3\'cf\u1088\'d0 x`;
    expect(linesIn(rtfToText(String.raw`{\rtf1\ansi\ansicpg1251\deff3${fonts}${body}}`))).toEqual([
      ["³ łą і 日ア", "Пр x"],
    ]);
    expect(rtfToText(String.raw`{\rtf1\ansi \'80\'e4\'fc}`)).toBe("€äü");
    const bytes = Array.from({ length: 128 }, (_, index) => index + 128);
    const escaped = bytes.map((byte) => `\\'${byte.toString(16)}`).join("");
    for (const page of [1250, 1253, 866])
      expect(rtfToText(`{\\rtf1\\ansicpg${page} ${escaped}}`)).toBe(
        new TextDecoder(page === 866 ? "ibm866" : `windows-${page}`).decode(Uint8Array.from(bytes)),
      );
    // Bytes that are not escaped.
    expect(rtfToText("{\\rtf1\\ansicpg1250 \u00b9\u00b3 \u0080}")).toBe("ął €");
  });

  it("returns what embedded objects show, but nothing of their data", () => {
    const object = String.raw`{\object\objemb{\*\objclass Excel}{\*\objdata 0105}{\result {\pict 00ff}{\pard Total 50\par}}}`;
    expect(linesIn(rtfToText(`{\\rtf1 before${object}after}`))).toEqual([["beforeTotal 50", "after"]]);
  });

  it("returns nothing of groups that programs skip, whatever is in them", () => {
    const smuggled = String.raw`{\*\unknown{\result one}{\shptxt two}{\object{\result three}}}{\info{\result four}}{\pict{\shptxt five}}`;
    const object = String.raw`{\object{\*\objclass{\result six}}{\*\objdata{\result seven}}{\result shown}}`;
    const shapes = String.raw`{\shpgrp{\*\shpinst{\shp{\*\shpinst{\sp{\sv 202}}{\shptxt within}}}}}`;
    expect(linesIn(rtfToText(`{\\rtf1 before ${smuggled}${object}\\par ${shapes}}`))).toEqual([
      ["before shown", "within"],
    ]);
  });

  it("returns hyphens and cells as they are displayed, the text of shapes once, and nothing of binary data", () => {
    const shape = String.raw`{\shp{\*\shpinst{\sp{\sn type}{\sv 202}}{\shptxt in a shape\par}}{\shprslt in a shape\par}}`;
    const rtf = String.raw`{\rtf1 Rech\-nung 4\_5\par \pard\intbl A\nestcell B\nestcell{\nonesttables\par}${shape}{\pict\bin5 }}}}}}Total{\b\u8364}50\emspace EUR{\footnote 2 percent}}`;
    expect(linesIn(rtfToText(rtf))).toEqual([["Rechnung 4-5", "A\tB", "in a shape", "Total€50 EUR 2 percent"]]);
  });

  it("returns line breaks of every kind, but no entries of an index or a table of contents", () => {
    const rtf = String.raw`{\rtf1 one\line two\lbr3 three\softline four{\tc Heading}{\xe {index}}\par five}`;
    expect(linesIn(rtfToText(rtf))).toEqual([["one", "two", "three", "four", "five"]]);
  });

  it("supports groups of any depth, and stops after the given number of characters", () => {
    const deep = 5_000;
    expect(rtfToText(`{\\rtf1 ${"{".repeat(deep)}{\\*\\x unseen}in${"}".repeat(deep)} out{\\*\\x unseen}}`)).toBe(
      "in out",
    );
    const long = rtfToText(`{\\rtf1 ${"word\\par ".repeat(10_000)}}`, 100);
    expect(long.length).toBeGreaterThanOrEqual(100);
    expect(long.length).toBeLessThan(200);
  });

  it("never throws", () => {
    fc.assert(
      fc.property(
        fc.string({ unit: fc.constantFrom("{", "}", "\\", "'", "u", "1", " ", "a", "*"), maxLength: 60 }),
        (text) => {
          expect(typeof rtfToText(text)).toBe("string");
        },
      ),
    );
  });
});

describe("reading separated values", () => {
  it("supports quotes, line breaks in cells, and other separators", () => {
    expect(parseRows('a,b,c\r\n"x, ""y""\nz",2,\n')).toEqual([
      ["a", "b", "c"],
      ['x, "y" z', "2", ""],
    ]);
    expect(parseRows("a;b\n1,5;2")).toEqual([
      ["a", "b"],
      ["1,5", "2"],
    ]);
    expect(parseRows('"open')).toEqual([["open"]]);
    expect(parseRows('"one, two, three";b\n"1, 2, 3";5')).toEqual([
      ["one, two, three", "b"],
      ["1, 2, 3", "5"],
    ]);
    expect(parseRows("a|b\n1|2")).toEqual([
      ["a", "b"],
      ["1", "2"],
    ]);
    expect(parseRows("sep=^\r\na^b;c\r\n")).toEqual([["a", "b;c"]]);
  });
});
