import { drawSheet, getFont } from "@switchyard/extraction/testing/pictures";

/** A row of a picture: its height, the size of its font, and its cells, each with its position; a negative one is that of its right edge. */
type Row = readonly [y: number, size: number, ...cells: readonly (readonly [text: string, x: number])[]];

/** Draws a till receipt as a photograph shows it: askew, slightly blurred and on a table. Returns a JPEG. */
export function drawParkingReceipt(): Buffer {
  const canvas = draw(330, 560, { angle: 2.5, blur: 0.4, ground: "#8a6f55" }, [
    [55, 24, ["STATION CAR PARK", 30]],
    [88, 17, ["7 Station Road, York YO24 1AB", 30]],
    [140, 22, ["RECEIPT", 30]],
    [178, 18, ["Date: 06/11/2026", 30]],
    [240, 18, ["Parking, 4 hours", 30], ["9.60", -300]],
    [278, 18, ["Charging, 12 kWh", 30], ["5.40", -300]],
    [340, 22, ["TOTAL GBP", 30], ["15.00", -300]],
    [385, 18, ["CARD", 30], ["15.00", -300]],
    [470, 16, ["Thank you for your visit.", 30]],
  ]);
  return canvas.toBuffer("image/jpeg", 85);
}

/** Draws an invoice as a scanner shows it: a gray sheet without text, slightly askew. Returns a JPEG. */
export function drawScannedInvoice(): Buffer {
  const canvas = draw(1_000, 707, { angle: -0.8, blur: 0.4, ground: "#dddddd" }, [
    [85, 28, ["Fellside Tool Hire Ltd", 70]],
    [150, 32, ["INVOICE", 70]],
    [200, 20, ["Invoice number: FT-20881", 70]],
    [235, 20, ["Invoice date: 3 November 2026", 70]],
    [270, 20, ["Due date: 17 November 2026", 70]],
    [340, 20, ["Description", 70], ["Quantity", -620], ["Amount", -910]],
    [380, 20, ["Floor cleaner, per day", 70], ["3", -620], ["135.00", -910]],
    [420, 20, ["Extension ladder, per day", 70], ["2", -620], ["37.00", -910]],
    [490, 20, ["Net amount: 172.00", 70]],
    [525, 20, ["VAT 20 %: 34.40", 70]],
    [565, 22, ["Total due: GBP 206.40", 70]],
  ]);
  return canvas.toBuffer("image/jpeg", 75);
}

function draw(width: number, height: number, options: Parameters<typeof drawSheet>[2], rows: readonly Row[]) {
  return drawSheet(width, height, options, (context) => {
    for (const [y, size, ...cells] of rows) {
      context.font = getFont(size);
      for (const [text, x] of cells) {
        context.textAlign = x < 0 ? "right" : "left";
        context.fillText(text, Math.abs(x), y);
      }
    }
  });
}
