import { readdir, readFile } from "node:fs/promises";
import { extname, join } from "node:path";
import { hidingPlaces, makeVisibleDocument } from "@switchyard/extraction/testing/hidden-documents";
import { ciiInvoice, drawInvoice, ublInvoice } from "@switchyard/extraction/testing/invoices";
import { createPdf } from "@switchyard/extraction/testing/pdf";
import { drawText } from "@switchyard/extraction/testing/pictures";

/** A document of a mix. */
export interface MixedDocument {
  readonly kind: string;
  readonly filename: string;
  readonly bytes: Uint8Array;
}

/** A kind of documents: how often it occurs among a hundred, and how the one with a number is made. */
interface Kind {
  readonly share: number;
  /** Whether text is recognized in a picture, which takes seconds. */
  readonly isPicture?: boolean;
  /** The folders of DOCUMENT_SETS with real documents, and the ending of their names. */
  readonly real?: { readonly folders: readonly string[]; readonly ending: string };
  readonly filename: string;
  readonly make: (number: number) => Promise<Uint8Array> | Uint8Array;
}

const kinds: Readonly<Record<string, Kind>> = {
  text: { share: 16, filename: "letter.txt", make: (number) => Buffer.from(toLines(number).join("\n")) },
  "e-mail": {
    ...{ share: 16, filename: "message.eml", real: { folders: ["files/email"], ending: ".eml" } },
    make: (number) => Buffer.from(`${mailHeader(number)}\r\n${toLines(number).join("\r\n")}\r\n`),
  },
  PDF: {
    ...{ share: 14, filename: "invoice.pdf", make: (number) => makeByPlace("document.pdf", number) },
    real: { folders: ["files/invoice", "files/nda"], ending: ".pdf" },
  },
  "scanned PDF": { share: 2, isPicture: true, filename: "scan.pdf", make: makeScan },
  photograph: {
    ...{ share: 2, isPicture: true, filename: "photograph.jpg", make: makePhotograph },
    real: { folders: ["receipts/images"], ending: ".jpg" },
  },
  docx: { share: 10, filename: "invoice.docx", make: (number) => makeByPlace("document.docx", number) },
  xlsx: { share: 10, filename: "invoice.xlsx", make: (number) => makeByPlace("document.xlsx", number) },
  "e-invoice XML": {
    ...{ share: 5, filename: "invoice.xml" },
    make: (number) => Buffer.from((number % 2 === 0 ? ublInvoice : ciiInvoice)({ number: `INV-${number}` })),
  },
  "e-invoice PDF": {
    ...{ share: 5, filename: "invoice.pdf", real: { folders: ["invoices/pdf"], ending: ".pdf" } },
    make: (number) => createPdf((pdf) => drawInvoice(pdf, ciiInvoice({ number: `INV-${number}` }))),
  },
  html: { share: 10, filename: "invoice.html", make: (number) => makeByPlace("document.html", number) },
  csv: {
    ...{ share: 10, filename: "invoice.csv" },
    make: (number) =>
      Buffer.from(
        makeVisibleDocument(number)
          .rows.map((row) => row.join(";"))
          .join("\r\n"),
      ),
  },
};

/** Whether the documents of a kind are pictures in which text is recognized. */
export function isPicture(kind: string): boolean {
  return kinds[kind]?.isPicture === true;
}

/**
 * Makes `count` documents of every kind that is read, mixed, no two of them the same; with `sets`, a folder of documents, those from there first. Few
 * are pictures, because recognizing one takes seconds.
 */
export async function makeMixedDocuments(count: number, sets: string | undefined): Promise<MixedDocument[]> {
  const documents: (MixedDocument & { place: number })[] = [];
  for (const [kind, { share, real, filename, make }] of Object.entries(kinds)) {
    const wanted = Math.round((count * share) / 100);
    const found = sets === undefined || real === undefined ? [] : await findFiles(sets, real);
    for (let number = 0; number < wanted; number++) {
      const path = found[number];
      const name = path === undefined ? filename : `${number}${extname(path)}`;
      const bytes = path === undefined ? await make(number) : await readFile(path);
      // Spread evenly, so that pictures come between the others.
      documents.push({ kind, filename: name, bytes, place: (number + 0.5) / wanted });
    }
  }
  return documents.sort((one, other) => one.place - other.place);
}

async function findFiles(sets: string, { folders, ending }: NonNullable<Kind["real"]>): Promise<string[]> {
  const lists = folders.map(async (folder) => {
    const names = await readdir(join(sets, folder)).catch((): string[] => []);
    return names
      .filter((name) => name.endsWith(ending))
      .sort()
      .map((name) => join(sets, folder, name));
  });
  return (await Promise.all(lists)).flat();
}

function makeByPlace(filename: string, number: number): Promise<Uint8Array> {
  const place = hidingPlaces.find((each) => each.filename === filename);
  if (place === undefined) throw new Error(`Nothing makes ${filename}`);
  return place.create(makeVisibleDocument(number), []);
}

function toLines(number: number): string[] {
  const { heading, rows, sentences } = makeVisibleDocument(number);
  return [heading, ...rows.map(([label, value]) => `${label}: ${value}`), ...sentences];
}

function mailHeader(number: number): string {
  return `From: a@example.com\r\nTo: b@example.com\r\nMessage-ID: <${number}@example.com>\r\nSubject: Invoice ${number}\r\n`;
}

function makeScan(number: number): Promise<Buffer> {
  const picture = drawText(toLines(number), { fontSize: 30, angle: 0.8, ground: "#dddddd" });
  return createPdf((pdf) => void pdf.image(picture.toBuffer("image/jpeg", 80), 40, 40, { width: 500 }));
}

function makePhotograph(number: number): Buffer {
  const items = Array.from(
    { length: 15 },
    (_, item) => `Item ${item + 1}, shelf ${number + item}    ${item + 1}.${10 + item}`,
  );
  const lines = ["Harbour Lane Stationery Ltd", "RECEIPT", `Receipt no. ${4_000 + number}`, ...items, "TOTAL 141.55"];
  return drawText(lines, { angle: 2.5, blur: 0.4, ground: "#8a6f55" }).toBuffer("image/jpeg", 85);
}
