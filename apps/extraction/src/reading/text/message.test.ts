import { readDocument } from "../document.ts";
import { defaultLimits } from "../limits.ts";

/** Reads a message, of which each character is a byte, and returns the lines of its text and of its attachments. */
async function read(message: string): Promise<Record<string, string[]>> {
  const bytes = new Uint8Array(Buffer.from(message.replaceAll("\n", "\r\n"), "latin1"));
  const { pages } = await readDocument({ bytes, filename: "a.eml", contentType: "message/rfc822" }, defaultLimits);
  return Object.fromEntries(pages.map(({ attachment, lines }) => [attachment, lines.map(({ text }) => text)]));
}

const utf8 = (text: string): string => Buffer.from(text).toString("latin1");
const toMessage = (type: string, body: string, encoding = "8bit", subject = "x"): string =>
  `From: a@example.com\nSubject: ${subject}\nMIME-Version: 1.0\nContent-Type: ${type}\nContent-Transfer-Encoding: ${encoding}\n\n${body}\n`;
const toMixed = (...parts: readonly string[]): string =>
  toMessage("multipart/mixed; boundary=yy", `${parts.map((part) => `--yy\n${part}\n`).join("")}--yy--`, "7bit");

describe("the text of a message", () => {
  it.each([
    ["that names no encoding", "text/plain", "Gr=F6=DFe 5 =80", "quoted-printable"],
    ["that is said to be in UTF-8, but is not", "text/plain; charset=utf-8", "Gr\u00f6\u00dfe 5 \u0080", "8bit"],
    ["in UTF-8 that is said to be ASCII", "text/plain; charset=us-ascii", utf8("Größe 5 €"), "8bit"],
    ["in UTF-8 that is said to be in Latin-1", "text/plain; charset=ISO-8859-1", utf8("Größe 5 €"), "8bit"],
    ["in the encoding of its HTML", "text/html", '<meta charset="iso-8859-15"><p>Gr=F6=DFe 5 =A4', "quoted-printable"],
    ["in an encoding that it names", "text/plain; charset=iso-8859-15", "Gr=F6=DFe 5=\n =A4", "quoted-printable"],
  ])("is decoded if it is a text %s", async (_, type, body, encoding) => {
    expect(await read(toMessage(type, body, encoding))).toEqual({
      "": ["From: a@example.com", "Subject: x", "Größe 5 €"],
    });
  });

  it("is decoded by its own encoding, also where others belong together by chance", async () => {
    // These bytes are a character in UTF-8, too.
    expect((await read(toMessage("text/plain; charset=gb2312", "\u00c4\u00a3")))[""]?.at(-1)).toBe("模");
    const mixed = toMixed(
      "Content-Type: text/plain\n\nGr\u00f6\u00dfe",
      `Content-Type: text/plain; charset=utf-8\n\n${utf8("5 €")}`,
    );
    expect((await read(mixed))[""]?.slice(-2)).toEqual(["Größe", "5 €"]);
  });

  it("has the encoding of header fields with unencoded characters", async () => {
    const text = await read(
      toMessage("text/plain; charset=windows-1251", "\u00cf\u00f0\u00e8", "8bit", "\u00cf\u00f0\u00e8"),
    );
    expect(text[""]).toEqual(["From: a@example.com", "Subject: При", "При"]);
    expect(
      (await read(toMessage("text/plain; charset=iso-8859-1", "\u00f6", "8bit", utf8("ö"))))[""]?.slice(1),
    ).toEqual(["Subject: ö", "ö"]);
  });
});

describe("the attachments of a message", () => {
  it("are decoded by the encodings that their headers name", async () => {
    const attach = (name: string, type: string, body: string): string =>
      `Content-Type: ${type}\nContent-Disposition: attachment; filename="${name}"\nContent-Transfer-Encoding: base64\n\n${Buffer.from(body, "latin1").toString("base64")}`;
    const message = toMixed(
      "Content-Type: text/plain\n\nHi",
      attach("a.csv", "text/csv; charset=koi8-r", "\u00f3\u00de\u00c5\u00d4;5"),
      attach("b.html", 'text/html; charset="windows-1251"', "<p>\u00cf\u00f0\u00e8</p>"),
      attach("c.txt", "text/plain; charset=cp932", "\u0093\u00fa\u0096\u007b"),
      attach("d.txt", "text/plain", "Gr\u00f6\u00dfe"),
      attach("e.rtf", "text/rtf; charset=utf-8", "{\\rtf1 Gr\u00f6\u00dfe}"),
    );
    const { "": _, ...attachments } = await read(message);
    expect(attachments).toEqual({
      "a.csv": ["Счет\t5"],
      "b.html": ["При"],
      "c.txt": ["日本"],
      "d.txt": ["Größe"],
      "e.rtf": ["Größe"],
    });
  });

  it("have names of unencoded characters", async () => {
    const attached = `Content-Type: text/plain; charset=iso-8859-2\nContent-Disposition: attachment;\n filename="\u00b1.txt"\n\n\u00b1`;
    expect(await read(toMixed("Content-Type: text/plain\n\nHi", attached))).toMatchObject({ "ą.txt": ["ą"] });
  });

  it("have the names that winmail.dat gives them in its own encoding", async () => {
    const toAttribute = (kind: number, value: readonly number[]): number[] => {
      const head = Buffer.alloc(9, 2);
      head.writeUInt32LE(kind, 1);
      head.writeUInt32LE(value.length, 5);
      return [...head, ...value, 0, 0];
    };
    const tnef = [
      ...[0x78, 0x9f, 0x3e, 0x22, 1, 0],
      ...toAttribute(0x00069007, [0xe3, 0x04, 0, 0, 0, 0, 0, 0]),
      ...toAttribute(0x00069002, [0, 0]),
      ...toAttribute(0x00018010, [...Buffer.from("\u00d1\u00f7\u00e5\u00f2.txt\0", "latin1")]),
      ...toAttribute(0x0006800f, [...Buffer.from("5")]),
    ];
    const part = `Content-Type: application/ms-tnef; charset=x\nContent-Transfer-Encoding: base64\nContent-Disposition: attachment; filename=winmail.dat`;
    expect(await read(toMixed(`${part}\n\n${Buffer.from(tnef).toString("base64")}`))).toMatchObject({
      "Счет.txt": ["5"],
    });
  });
});

describe("the parts of a message", () => {
  const attached =
    "Content-Disposition: attachment; filename=a.txt\nContent-Transfer-Encoding: base64\n\nSW52b2ljZSA0NzEx";
  const parts = `before the parts\n--x\nContent-Type: text/plain\n\nHello\n--x\nContent-Type: text/plain\n${attached}\n--x--`;

  it.each([
    ["is not named", "multipart/mixed"],
    ["is empty", 'multipart/mixed; boundary=""'],
    ["is another one", "multipart/mixed; boundary=y"],
    ["is named", "multipart/mixed; boundary=x"],
  ])("are read if the boundary between them %s", async (_, type) => {
    const found = { "": ["From: a@example.com", "Subject: x", "Hello"], "a.txt": ["Invoice 4711"] };
    expect(await read(toMessage(type, parts, "7bit"))).toEqual(found);
    expect(await read(toMixed(`Content-Type: ${type}\n\n${parts}`))).toEqual(found);
  });

  it("are a text if nothing separates them", async () => {
    const found = { "": ["From: a@example.com", "Subject: x", "Hello", "--", "Acme"] };
    expect(await read(toMessage("multipart/alternative", "Hello\n--\nAcme", "7bit"))).toEqual(found);
    expect(await read(toMessage("multipart/mixed; boundary=y", "Hello\n--\nAcme", "7bit"))).toEqual(found);
  });
});
