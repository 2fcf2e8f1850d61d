import { fromBinary } from "@bufbuild/protobuf";
import { DocumentTextSchema } from "@switchyard/contracts/switchyard/extraction/v1/document";
import { ReadProblem } from "@switchyard/contracts/switchyard/extraction/v1/extraction";
import { createDocumentReader, pageCount, pageTexts, plainText, getReader } from "./index.ts";
import type { DocumentReader, ReadResult } from "./index.ts";

const getPageTexts = (text: Uint8Array): string[] => pageTexts(text).map((page) => page.text);

function textDocument(content: string, filename = "a.txt", contentType = ""): Parameters<DocumentReader["read"]>[0] {
  return { bytes: Buffer.from(content, "latin1"), filename, contentType };
}

describe("the document reader", () => {
  const reader = createDocumentReader({
    maxPages: 3,
    maxCharacters: 2000,
    maxAttachments: 3,
    maxMessageLines: 300,
    maxDepth: 2,
  });
  afterAll(() => reader.close());

  const read = (...document: Parameters<typeof textDocument>): Promise<ReadResult> =>
    reader.read(textDocument(...document));

  it("returns text as the generated message, with words without boxes", async () => {
    const { text, contentType, problem, warnings } = await read("Invoice no.    4711\nTotal 12.00\fPage two");
    expect({ contentType, problem, warnings }).toEqual({ contentType: "text/plain", problem: undefined, warnings: [] });
    const message = fromBinary(DocumentTextSchema, text);
    expect([message.reader, getReader(text)]).toEqual([reader.version, reader.version]);
    expect(message.pages.map(({ number, width, attachment }) => ({ number, width, attachment }))).toEqual([
      { number: 1, width: 0, attachment: "" },
      { number: 2, width: 0, attachment: "" },
    ]);
    expect(message.pages[0]!.lines[0]!.words[2]).toMatchObject({ text: "4711", offset: 12 });
    expect(message.pages[0]!.lines[0]!.words[2]!.box).toBeUndefined();
    expect(getPageTexts(text)).toEqual(["Invoice no.\t4711\nTotal 12.00\n", "Page two\n"]);
    expect(plainText(text)).toBe("Invoice no.\t4711\nTotal 12.00\nPage two");
    expect(plainText(text, { maxPages: 1 })).toBe("Invoice no.\t4711\nTotal 12.00");
    expect(plainText(text, { maxCharacters: 10 })).toBe("Invoice no");
  });

  it.each([
    ["white space only", " \n\t \f", ReadProblem.EMPTY_DOCUMENT],
    ["no bytes", "", ReadProblem.EMPTY_DOCUMENT],
    ["HTML without text", "<html><body><img src='x'></body></html>", ReadProblem.EMPTY_DOCUMENT],
    ["an archive", "PK\u0003\u0004\u0014\0\0\0\0\0", ReadProblem.UNSUPPORTED_FORMAT],
    ["a program", "\u007fELF\u0002\u0001\u0001\0\0\0\0\0", ReadProblem.UNSUPPORTED_FORMAT],
    ["a PDF without content", "%PDF-1.7\nhello", ReadProblem.UNREADABLE_FILE],
  ])("reports the problem of %s", async (_, content, code) => {
    const { problem, text } = await read(content);
    expect(problem).toEqual({ code, message: expect.stringMatching(/^[A-Z].*\.$/) });
    expect(getReader(text)).toBe(reader.version);
  });

  it("stops at its limits, and reports what was left out", async () => {
    const long = await read("word ".repeat(1000));
    expect(plainText(long.text)).toHaveLength(1999);
    expect(long.omissions).toEqual(["Only the first 2000 characters were read."]);
    const many = await read("1\f2\f3\f4\f5");
    expect(pageCount(many.text)).toBe(3);
    expect(many.omissions).toEqual(["Only the first 3 pages were read."]);
  });

  it("decodes no more of a stored text than is needed", async () => {
    const { text } = await reader.read(textDocument("word\n".repeat(300)));
    // After the first kilobyte, these bytes are not a valid message.
    const broken = text.slice().fill(0xff, 1_000);
    expect(plainText(broken, { maxCharacters: 50 })).toBe("word\n".repeat(10));
    expect(() => plainText(broken)).toThrow();
  });

  it("leaves the caller's bytes usable", async () => {
    const bytes = new TextEncoder().encode("word");
    const [first, second] = [
      await reader.read({ ...textDocument(""), bytes }),
      await reader.read({ ...textDocument(""), bytes }),
    ];
    expect([plainText(first.text), plainText(second.text)]).toEqual(["word", "word"]);
  });

  it("reports which part of a text extraction ignores", async () => {
    const large = createDocumentReader();
    try {
      const read = async (lines: number) => (await large.read(textDocument("1\n".repeat(lines)))).omissions;
      expect(await read(12_000)).toEqual([]);
      expect(await read(12_001)).toEqual([
        "Values are extracted from the first 300000 characters and 12000 lines only.",
      ]);
    } finally {
      await large.close();
    }
  });

  it.each([
    ["header size of 2097152 bytes", `X-A: ${"b".repeat(20_000)}\r\n`.repeat(110)],
    [
      "MIME nesting depth of 50 levels",
      Array.from({ length: 60 }, (_, n) => `Content-Type: multipart/mixed; boundary=b${n}\r\n\r\n--b${n}\r\n`).join(""),
    ],
  ])("reports the maximum %s of a message", async (what, lines) => {
    const { problem } = await read(`From: a@b\r\nTo: c@d\r\nMessage-ID: <1@x>\r\n${lines}\r\nbody`, "a.eml");
    expect(problem).toEqual({ code: ReadProblem.UNREADABLE_FILE, message: `The message exceeds the maximum ${what}.` });
  });

  it.each([
    ["HTML", "<html><body>"],
    ["a message of HTML", "From: a@b\r\nTo: c@d\r\nMessage-ID: <1@x>\r\nContent-Type: text/html\r\n\r\n"],
  ])("rejects %s that is nested too deeply, at any depth, and reads other nested elements", async (_, head) => {
    const nested = (lines: number): string => {
      const [opening, closing] = ["<div>", "</div>"].map((tag) => `${tag.repeat(100)}\r\n`.repeat(lines));
      return `${head}${opening}deep${closing}`;
    };
    const { problem, text } = await read(nested(2_000));
    expect(problem).toEqual({
      code: ReadProblem.UNREADABLE_FILE,
      message: "The document has more than 500 nested elements.",
    });
    expect(pageCount(text)).toBe(0);
    expect(plainText((await read(nested(4))).text)).toContain("deep");
  });

  it("returns the same text for the same bytes", async () => {
    const html = "<html><table><tr><td>a<td>b</table></html>";
    expect((await read(html)).text).toEqual((await read(html)).text);
  });

  it("rejects calls after it was closed", async () => {
    const closed = createDocumentReader();
    await closed.close();
    await expect(closed.read(textDocument("x"))).rejects.toThrow("closed");
  });

  it.each([
    ["UTF-8 with a byte order mark", "utf8", "\ufeff", false],
    ["UTF-16 with a byte order mark", "utf16le", "\ufeff", false],
    ["UTF-16 without one", "utf16le", "", false],
    ["big-endian UTF-16", "utf16le", "\ufeff", true],
    ["Windows-1252", "latin1", "", false],
  ] as const)("reads text, separated values and messages in %s", async (_, encoding, mark, swapped) => {
    const encode = (text: string): Buffer => {
      const bytes = Buffer.from(mark + text, encoding);
      return swapped ? bytes.swap16() : bytes;
    };
    const readBytes = async (text: string, filename: string): Promise<string> => {
      const { text: found, problem } = await reader.read({ bytes: encode(text), filename, contentType: "" });
      expect(problem).toBeUndefined();
      return plainText(found);
    };
    expect(await readBytes("The Größe is 12\0\u0001 m, and the width is 3 m\r\n\0\0", "x.pdf")).toBe(
      "The Größe is 12 m, and the width is 3 m",
    );
    expect(await readBytes('Größe;Preis\r\n"1;2";3,50\r\n', "a.csv")).toBe("Größe\tPreis\n1;2\t3,50");
    const fields = "From: a@example.com\r\nTo: b@example.com\r\nMessage-ID: <1@x>\r\nSubject: Rent\r\n";
    const named = { utf8: "utf-8", utf16le: "utf-16", latin1: "windows-1252" }[encoding];
    for (const charset of ["", named]) {
      const type = charset && `Content-Type: text/plain; charset=${charset}\r\n`;
      expect(await readBytes(`${fields}${type}\r\nGröße 12`, "a.eml")).toMatch(/^From: a@.*Subject: Rent\nGröße 12$/s);
    }
  });

  describe("for messages", () => {
    const fields =
      "From: =?utf-8?q?J=C3=B6rg?= <j@example.com>\r\nTo: b@example.com, C <c@example.com>\r\nMessage-ID: <1@x>\r\n";

    function part(type: string, content: string | Buffer, filename = ""): string {
      const disposition = filename ? `Content-Disposition: attachment; filename="${filename}"\r\n` : "";
      const encoded = Buffer.from(content).toString("base64");
      return `Content-Type: ${type}\r\n${disposition}Content-Transfer-Encoding: base64\r\n\r\n${encoded}\r\n`;
    }

    function message(...parts: string[]): string {
      const body = parts.map((content) => `--xx\r\n${content}`).join("");
      return `${fields}Subject: Rent\r\n for May\r\nDate: Thu, 22 Aug 2002 20:58:07 +0100\r\nMIME-Version: 1.0\r\nContent-Type: multipart/mixed; boundary=xx\r\n\r\n${body}--xx--\r\n`;
    }

    it("returns the header fields that readers need, and then the text", async () => {
      const { text, contentType, warnings } = await read(message(part("text/plain; charset=utf-8", "Grüße\f2\n")));
      expect(contentType).toBe("message/rfc822");
      expect(getPageTexts(text)).toEqual([
        "From: Jörg <j@example.com>\nTo: b@example.com, C <c@example.com>\nSubject: Rent for May\nDate: Thu, 22 Aug 2002 20:58:07 +0100\nGrüße\n2\n",
      ]);
      expect(warnings).toEqual([]);
    });

    it.each([
      ["utf-16", "Größe", Buffer.from("Größe", "utf16le")],
      ["UTF-16LE", "Größe", Buffer.from("Größe", "utf16le")],
      ["utf-16be", "Größe", Buffer.from("Größe", "utf16le").swap16()],
      ["iso-8859-1", "Größe", Buffer.from("Größe", "latin1")],
      ["koi8-r", "Счет", Buffer.from([0xf3, 0xde, 0xc5, 0xd4])],
      ["shift_jis", "請求", Buffer.from([0x90, 0xbf, 0x8b, 0x81])],
    ])("returns parts in %s", async (charset, text, bytes) => {
      const found = await read(message(part(`text/plain; charset=${charset}`, bytes)));
      expect(plainText(found.text).split("\n").at(-1)).toBe(text);
    });

    it("returns each field once, with the addresses of all fields of the same name", async () => {
      const { text } = await read(
        "Message-ID: <1@x>\nFrom: a@b.c\nTo: d@e.f\nTo: g@h.i\nSubject: one\nSubject: two\n\nHi",
      );
      expect(plainText(text)).toBe("From: a@b.c\nTo: d@e.f, g@h.i\nSubject: one\nHi");
    });

    it("returns the HTML if the plain text is much shorter", async () => {
      const html = "<p>The rent of <b>May</b></p><table><tr><td>Total</td><td>900.00</td></tr></table>";
      const alternative = `Content-Type: multipart/alternative; boundary=yy\r\n\r\n--yy\r\n${part("text/plain", "See HTML")}--yy\r\n${part("text/html", html)}--yy--\r\n`;
      const { text } = await read(message(alternative));
      expect(plainText(text)).toMatch(/\nThe rent of May\nTotal\t900\.00$/);
    });

    it("returns attachments as pages with their names, and warns about those that it cannot read", async () => {
      const inner = message(part("text/plain", "inner"), part("text/csv", "a,b\n1,2", "table.csv"));
      const { text, problem, warnings } = await read(
        message(
          part("text/plain", "outer"),
          part("application/zip", "PK\u0003\u0004\0\0\0", "a.zip"),
          part("message/rfc822", inner),
        ),
      );
      expect(problem).toBeUndefined();
      expect(pageTexts(text).map(({ number, attachment }) => [number, attachment])).toEqual([
        [1, ""],
        [2, "message.eml"],
        [3, "table.csv"],
      ]);
      expect(getPageTexts(text)[2]).toBe("a\tb\n1\t2\n");
      expect(warnings).toEqual(['attachment "a.zip" was not read: Documents of type application/zip are not read.']);
    });

    it("returns the attachments in winmail.dat, as far as it is not damaged", async () => {
      const attribute = (kind: number, value: string): Buffer => {
        const head = Buffer.alloc(9);
        head.writeUInt8(2, 0);
        head.writeUInt32LE(kind, 1);
        head.writeUInt32LE(value.length, 5);
        return Buffer.concat([head, Buffer.from(value, "latin1"), Buffer.alloc(2)]);
      };
      const attached = (name: string, content: string): Buffer[] => [
        attribute(0x00069002, "\0\0"),
        attribute(0x00018010, `${name}\0`),
        attribute(0x0006800f, content),
      ];
      const start = Buffer.from([0x78, 0x9f, 0x3e, 0x22, 1, 0]);
      const tnef = Buffer.concat([start, ...attached("a.csv", "a;b\n1;2"), ...attached("größe.txt", "second")]);
      const inside = async (content: Buffer): Promise<string[][]> => {
        const { text } = await read(
          message(part("text/plain", "outer"), part("application/ms-tnef", content, "winmail.dat")),
        );
        return pageTexts(text)
          .map((page) => [page.attachment, page.text])
          .slice(1);
      };
      expect(await inside(tnef)).toEqual([
        ["a.csv", "a\tb\n1\t2\n"],
        ["größe.txt", "second\n"],
      ]);
      expect(await inside(tnef.subarray(0, tnef.length - 5))).toEqual([["a.csv", "a\tb\n1\t2\n"]]);
    });

    it("limits the lines of source, in each message and in all nested messages together", async () => {
      const plain = (lines: number) => `Content-Type: text/plain\r\n\r\n${"x\r\n".repeat(lines)}y\r\n`;
      const full = await read(message(plain(280)));
      expect([plainText(full.text).at(-1), full.omissions]).toEqual(["y", []]);
      const long = await read(message(plain(300)));
      expect(plainText(long.text).at(-1)).toBe("x");
      expect(long.omissions).toEqual(["Only the first 300 lines of the source of a message were read."]);
      const attached = part("message/rfc822", message(plain(220)));
      const two = await read(message(plain(220), attached));
      expect([plainText(two.text).at(-1), two.omissions]).toEqual(["y", []]);
      const three = await read(message(plain(220), attached, attached));
      expect(three.omissions).toEqual([
        expect.stringMatching(/^Only the first 1\d\d lines of the source of a message/),
      ]);
    });

    it("limits the depth of nested messages in the source to 100", async () => {
      const nested = (depth: number) => `From: a@example.com\n${"content-type:\tmessage/rfc822\n\n".repeat(depth)}end`;
      const readNested = (depth: number) => read(nested(depth), "a.eml", "message/rfc822");
      const cutOff = "Only the first 201 lines of the source of a message were read.";
      expect((await readNested(100)).omissions).not.toContain(cutOff);
      const deep = await readNested(101);
      expect(deep.problem).toBeUndefined();
      expect(deep.omissions).toContain(cutOff);
    });

    it("does not read attachments after the maximum number of characters", async () => {
      const attached = part("text/html", "<p>more</p>", "a.html");
      const { omissions, warnings } = await read(message(part("text/plain", "word ".repeat(1_000)), attached));
      expect(warnings).toEqual([]);
      expect(omissions).toEqual(["Only the first 2000 characters were read."]);
    });

    it("limits the number and the depth of attachments", async () => {
      const many = await read(message(...["1", "2", "3", "4"].map((name) => part("text/plain", "", `${name}.txt`))));
      expect(many.omissions).toContain("Only the first 3 attachments were read.");
      let deep = message(part("text/plain", "deepest", "a.txt"));
      for (let depth = 0; depth < 2; depth++) deep = message(part("message/rfc822", deep));
      const { text, omissions } = await read(deep);
      expect(plainText(text)).not.toContain("deepest");
      expect(omissions).toContain("Attachments of messages more than 2 levels deep were not read.");
    });
  });
});
