import { drawSheet, getFont } from "@switchyard/extraction/testing/pictures";

/** A row of a picture: its height, the size of its font, and its cells, each with its position; a negative one is that of its right edge. */
type Row = readonly [y: number, size: number, ...cells: readonly (readonly [text: string, x: number])[]];

/** Draws a till receipt as a photograph shows it: askew, slightly blurred and on a table. Returns a JPEG. */
export function drawParkingReceipt(): Buffer {
  const canvas = draw(480, 500, { angle: 3.5, blur: 0.5, ground: "#8a6f55" }, [
    [60, 30, ["STATION CAR PARK", 40]],
    [98, 20, ["7 Station Road, York YO24 1AB", 40]],
    [150, 24, ["RECEIPT", 40]],
    [190, 20, ["Date: 06/11/2026", 40], ["Time: 17:32", 250]],
    [250, 22, ["Parking, 4 hours", 40], ["9.60", -440]],
    [290, 22, ["Charging, 12 kWh", 40], ["5.40", -440]],
    [350, 22, ["Subtotal", 40], ["15.00", -440]],
    [392, 26, ["TOTAL GBP", 40], ["15.00", -440]],
    [440, 22, ["CARD", 40], ["15.00", -440]],
  ]);
  return canvas.toBuffer("image/jpeg", 80);
}

/** Draws an invoice as a scanner shows it: a grey page without text, slightly askew. Returns a JPEG. */
export function drawScannedInvoice(): Buffer {
  const canvas = draw(1_000, 1_414, { angle: -0.8, blur: 0.4, ground: "#dddddd" }, [
    [110, 30, ["Fellside Tool Hire Ltd", 90]],
    [145, 18, ["Unit 4, Mill Lane, Kendal LA9 6NU, United Kingdom", 90]],
    [240, 34, ["INVOICE", 90]],
    [310, 20, ["Bill to", 90], ["Invoice number:", 560], ["FT-20881", -910]],
    [345, 20, ["Northwind Bakery GmbH", 90], ["Invoice date:", 560], ["3 November 2026", -910]],
    [380, 20, ["Hamburg, Germany", 90], ["Due date:", 560], ["17 November 2026", -910]],
    [480, 20, ["Description", 90], ["Quantity", -600], ["Unit price", -760], ["Amount", -910]],
    [525, 20, ["Floor cleaner, per day", 90], ["3", -600], ["45.00", -760], ["135.00", -910]],
    [565, 20, ["Extension ladder, per day", 90], ["2", -600], ["18.50", -760], ["37.00", -910]],
    [640, 20, ["Net amount", 560], ["172.00", -910]],
    [675, 20, ["VAT 20 %", 560], ["34.40", -910]],
    [715, 22, ["Total due", 560], ["GBP 206.40", -910]],
  ]);
  return canvas.toBuffer("image/jpeg", 70);
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
