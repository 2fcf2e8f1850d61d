/**
 * `npm run samples`: creates the sample documents of this folder. Their content is invented.
 * The files are committed, so that the first start does not need the development dependencies.
 */
import { createWriteStream } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { finished } from "node:stream/promises";
import PDFDocument from "pdfkit";
import { drawParkingReceipt, drawScannedInvoice } from "./pictures.ts";

type Pdf = InstanceType<typeof PDFDocument>;

const folder = import.meta.dirname;

/** Creates a PDF file with a page, whose size is in points. */
async function pdf(
  name: string,
  title: string,
  draw: (page: Pdf) => void,
  size: "A4" | [width: number, height: number] = "A4",
): Promise<void> {
  const document = new PDFDocument({
    size,
    margin: 56,
    info: { Title: title, CreationDate: new Date("2026-11-02T08:00:00Z") },
  });
  const output = document.pipe(createWriteStream(`${folder}/${name}`));
  draw(document);
  document.end();
  await finished(output);
}

/** Writes the cells of one row, each at its position. Numbers are right-aligned. */
function row(page: Pdf, y: number, cells: readonly (readonly [text: string, x: number, align?: "right"])[]): void {
  for (const [text, x, align] of cells) {
    if (align === "right") page.text(text, x - 120, y, { width: 120, align: "right", lineBreak: false });
    else page.text(text, x, y, { lineBreak: false });
  }
}

function invoice(page: Pdf): void {
  page.font("Helvetica-Bold").fontSize(16).text("Harbour Lane Supplies Ltd", 56, 56);
  page.font("Helvetica").fontSize(9).text("14 Harbour Lane, Bristol BS1 5TY, United Kingdom", 56, 78);
  page.text("VAT ID: GB123456789", 56, 90);
  page.font("Helvetica-Bold").fontSize(20).text("INVOICE", 56, 126);
  page.font("Helvetica").fontSize(10);
  row(page, 164, [
    ["Bill to", 56],
    ["Invoice number:", 330],
    ["HL-2026-0417", 540, "right"],
  ]);
  row(page, 180, [
    ["Northwind Bakery GmbH", 56],
    ["Invoice date:", 330],
    ["12 October 2026", 540, "right"],
  ]);
  row(page, 196, [
    ["Mühlenweg 3, 20457 Hamburg", 56],
    ["Due date:", 330],
    ["11 November 2026", 540, "right"],
  ]);
  row(page, 212, [
    ["Germany", 56],
    ["Order number:", 330],
    ["PO-88213", 540, "right"],
  ]);
  page.font("Helvetica-Bold");
  row(page, 256, [
    ["Description", 56],
    ["Quantity", 350, "right"],
    ["Unit price", 440, "right"],
    ["Amount", 540, "right"],
  ]);
  page.moveTo(56, 270).lineTo(540, 270).stroke();
  page.font("Helvetica");
  row(page, 280, [
    ["Flour sacks, 25 kg", 56],
    ["40", 350, "right"],
    ["18.50", 440, "right"],
    ["740.00", 540, "right"],
  ]);
  row(page, 298, [
    ["Baking trays, steel", 56],
    ["12", 350, "right"],
    ["23.75", 440, "right"],
    ["285.00", 540, "right"],
  ]);
  row(page, 316, [
    ["Delivery to Hamburg", 56],
    ["1", 350, "right"],
    ["95.00", 440, "right"],
    ["95.00", 540, "right"],
  ]);
  page.moveTo(330, 338).lineTo(540, 338).stroke();
  row(page, 346, [
    ["Net amount", 330],
    ["1,120.00", 540, "right"],
  ]);
  row(page, 362, [
    ["VAT 20 %", 330],
    ["224.00", 540, "right"],
  ]);
  page.font("Helvetica-Bold");
  row(page, 380, [
    ["Total due", 330],
    ["GBP 1,344.00", 540, "right"],
  ]);
  page.font("Helvetica").fontSize(9);
  page.text(
    "Payment terms: 30 days net. Please pay to IBAN GB33 BUKB 2020 1555 5555 55 and quote the invoice number.",
    56,
    430,
  );
}

function receipt(page: Pdf): void {
  page.font("Courier-Bold").fontSize(13).text("CORNER COFFEE HOUSE", 56, 60);
  page.font("Courier").fontSize(10);
  page.text("22 Market Street, Leeds LS1 6DT", 56, 80);
  page.text("RECEIPT", 56, 104);
  page.text("Date: 07/11/2026   Time: 09:41   Till 2   Cashier: Ana", 56, 120);
  row(page, 150, [
    ["2 Flat white", 56],
    ["7.20", 300, "right"],
  ]);
  row(page, 166, [
    ["1 Almond croissant", 56],
    ["3.45", 300, "right"],
  ]);
  row(page, 182, [
    ["1 Orange juice", 56],
    ["3.10", 300, "right"],
  ]);
  row(page, 206, [
    ["Subtotal", 56],
    ["13.75", 300, "right"],
  ]);
  page.font("Courier-Bold");
  row(page, 222, [
    ["TOTAL GBP", 56],
    ["13.75", 300, "right"],
  ]);
  page.font("Courier");
  row(page, 238, [
    ["CASH", 56],
    ["20.00", 300, "right"],
  ]);
  row(page, 254, [
    ["CHANGE", 56],
    ["6.25", 300, "right"],
  ]);
  page.text("Thank you for your visit. Please keep your receipt.", 56, 286);
}

function agreement(page: Pdf): void {
  page.font("Helvetica-Bold").fontSize(16).text("MUTUAL NON-DISCLOSURE AGREEMENT", { align: "center" });
  page.moveDown().font("Helvetica").fontSize(10.5);
  const clauses = [
    "This Mutual Non-Disclosure Agreement (the “Agreement”) is entered into as of March 3, 2026 (the “Effective Date”) by and between Larkspur Robotics, Inc., a Delaware corporation, and Fennel & Grain Foods LLC, a Vermont limited liability company.",
    "1. Confidential Information. “Confidential Information” means any non-public information that one party (the “Disclosing Party”) discloses to the other party (the “Receiving Party”), whether in writing, orally or by inspection, including trade secrets, product plans, recipes, source code, prices and customer lists.",
    "2. Obligations. The Receiving Party shall hold the Confidential Information in strict confidence, shall not disclose it to any third party without prior written consent, and shall use it solely to evaluate a possible business relationship between the parties.",
    "3. Exclusions. Confidential Information does not include information that is or becomes public through no breach of this Agreement, or that the Receiving Party developed independently.",
    "4. Term. This Agreement remains in force for a period of three (3) years from the Effective Date. The duty of confidentiality survives its end.",
    "5. Governing Law. This Agreement is governed by the laws of the State of Vermont, without regard to its conflict of laws provisions.",
    "IN WITNESS WHEREOF, the parties have caused this Agreement to be executed by their authorised representatives.",
  ];
  for (const clause of clauses) page.text(clause, { align: "left" }).moveDown(0.8);
  page.text("Larkspur Robotics, Inc.                                   Fennel & Grain Foods LLC").moveDown();
  page.text("By: ____________________                            By: ____________________");
}

function poster(page: Pdf): void {
  page.font("Times-Bold").fontSize(26).text("Summer evening swim", { align: "center" });
  page.moveDown().font("Times-Roman").fontSize(13);
  const lines = [
    "The lake is warm, the wind is still, and the ducks have nothing against company.",
    "Bring a towel, something to eat and somebody who laughs easily.",
    "We meet at the old boathouse when the swallows fly low, and leave when the stars are out.",
    "Dogs welcome. Umbrellas not needed.",
  ];
  for (const line of lines) page.text(line, { align: "center" }).moveDown(0.6);
}

/** An e-mail with the invoice of another supplier attached. */
async function mail(attachment: string): Promise<string> {
  const bytes = (await readFile(`${folder}/${attachment}`)).toString("base64").replace(/.{76}/g, "$&\r\n");
  return [
    "From: Accounts <accounts@brightwater-print.example>",
    "To: Invoices <invoices@northwind-bakery.example>",
    "Subject: Your invoice BW-7731",
    "Date: Thu, 15 Oct 2026 09:12:44 +0200",
    "Message-ID: <bw-7731@brightwater-print.example>",
    "MIME-Version: 1.0",
    'Content-Type: multipart/mixed; boundary="sample"',
    "",
    "--sample",
    "Content-Type: text/plain; charset=utf-8",
    "",
    "Dear customer,",
    "",
    "please find attached our invoice BW-7731 for the printed paper bags. The amount due is EUR 476.00,",
    "payable by 14 November 2026.",
    "",
    "Kind regards,",
    "Brightwater Print",
    "",
    "--sample",
    `Content-Type: application/pdf; name="${attachment}"`,
    "Content-Transfer-Encoding: base64",
    `Content-Disposition: attachment; filename="${attachment}"`,
    "",
    bytes,
    "--sample--",
    "",
  ].join("\r\n");
}

function secondInvoice(page: Pdf): void {
  page.font("Helvetica-Bold").fontSize(15).text("Brightwater Print", 56, 56);
  page.font("Helvetica").fontSize(9).text("Kanalstraße 9, 28195 Bremen, Germany · VAT ID: DE811234567", 56, 76);
  page.font("Helvetica-Bold").fontSize(18).text("Invoice", 56, 112);
  page.font("Helvetica").fontSize(10);
  row(page, 146, [
    ["Invoice number:", 56],
    ["BW-7731", 170],
  ]);
  row(page, 162, [
    ["Invoice date:", 56],
    ["15.10.2026", 170],
  ]);
  row(page, 178, [
    ["Due date:", 56],
    ["14.11.2026", 170],
  ]);
  page.font("Helvetica-Bold");
  row(page, 214, [
    ["Description", 56],
    ["Quantity", 350, "right"],
    ["Unit price", 440, "right"],
    ["Amount", 540, "right"],
  ]);
  page.font("Helvetica");
  row(page, 232, [
    ["Paper bags, printed, large", 56],
    ["2000", 350, "right"],
    ["0.15", 440, "right"],
    ["300.00", 540, "right"],
  ]);
  row(page, 248, [
    ["Paper bags, printed, small", 56],
    ["1000", 350, "right"],
    ["0.10", 440, "right"],
    ["100.00", 540, "right"],
  ]);
  row(page, 280, [
    ["Net amount", 330],
    ["400.00", 540, "right"],
  ]);
  row(page, 296, [
    ["VAT 19 %", 330],
    ["76.00", 540, "right"],
  ]);
  row(page, 312, [
    ["Total amount EUR", 330],
    ["476.00", 540, "right"],
  ]);
}

await pdf("invoice-harbour-lane.pdf", "Invoice HL-2026-0417", invoice);
await pdf("receipt-coffee.pdf", "Receipt", receipt);
await pdf("non-disclosure-agreement.pdf", "Mutual non-disclosure agreement", agreement);
await pdf("lake-swim.pdf", "Summer evening swim", poster);
await pdf("invoice-brightwater.pdf", "Invoice BW-7731", secondInvoice);
await writeFile(`${folder}/receipt-parking.jpg`, drawParkingReceipt());
const sheet: [number, number] = [420, 297];
await pdf("invoice-scan.pdf", "Scan", (page) => void page.image(drawScannedInvoice(), 0, 0, { fit: sheet }), sheet);
await writeFile(`${folder}/mail-with-invoice.eml`, await mail("invoice-brightwater.pdf"));
