import { createCanvas, loadImage } from "@napi-rs/canvas";
import { createPdf, rawPdf } from "../../testing/pdf.ts";
import { createTiff, toTiffPage } from "../../testing/tiff.ts";
import { createPageRenderer } from "./renderer.ts";
import type { Rendering } from "./renderer.ts";

/** Creates a picture that is white but for its upper left quarter. */
function createCorner(width: number, height: number): Buffer {
  const canvas = createCanvas(width, height);
  const context = canvas.getContext("2d");
  context.fillStyle = "white";
  context.fillRect(0, 0, width, height);
  context.fillStyle = "black";
  context.fillRect(0, 0, width / 2, height / 2);
  return canvas.toBuffer("image/png");
}

/** Returns the size of a picture, and which of its quarters are dark, from the upper left one in rows. */
async function look(rendering: Rendering): Promise<{ size: number[]; dark: boolean[] }> {
  if (rendering.kind !== "png") throw new Error(JSON.stringify(rendering));
  const { width, height } = await loadImage(Buffer.from(rendering.png));
  const canvas = createCanvas(width, height);
  const context = canvas.getContext("2d");
  context.drawImage(await loadImage(Buffer.from(rendering.png)), 0, 0);
  const places = [0.25, 0.75].flatMap((y) => [0.25, 0.75].map((x) => [x * width, y * height] as const));
  return { size: [width, height], dark: places.map(([x, y]) => context.getImageData(x, y, 1, 1).data[0]! < 128) };
}

describe("pictures of pages", () => {
  const renderer = createPageRenderer();
  afterAll(() => renderer.close());
  const render = (bytes: Buffer, page: { number?: number; width?: number; rotation?: number } = {}) =>
    renderer.render({
      number: 1,
      width: 200,
      rotation: 0,
      ...page,
      bytes: () => Promise.resolve(new Uint8Array(bytes)),
    });

  it("are drawn from any page of a PDF file, and turned as its text", async () => {
    const pdf = await createPdf(
      (page) => {
        page.rect(0, 0, 300, 200).fill("black");
        page.addPage().rect(300, 200, 300, 200).fill("black");
      },
      { size: [600, 400] },
    );
    expect(await look(await render(pdf))).toEqual({ size: [200, 133], dark: [true, false, false, false] });
    expect(await look(await render(pdf, { number: 2 }))).toEqual({
      size: [200, 133],
      dark: [false, false, false, true],
    });
    expect(await look(await render(pdf, { rotation: 90 }))).toEqual({
      size: [200, 300],
      dark: [false, true, false, false],
    });
    expect((await render(pdf, { number: 3 })).kind).toBe("missing");
  });

  it("are pictures themselves, as wide as requested", async () => {
    const picture = createCorner(300, 600);
    expect(await look(await render(picture))).toEqual({ size: [200, 400], dark: [true, false, false, false] });
    expect(await look(await render(picture, { rotation: 180 }))).toMatchObject({ dark: [false, false, false, true] });
    expect((await render(picture, { number: 2 })).kind).toBe("missing");
  });

  it("are drawn of the pages of a TIFF", async () => {
    const toPage = async (bytes: Buffer) => {
      const image = await loadImage(bytes);
      const context = createCanvas(image.width, image.height).getContext("2d");
      context.drawImage(image, 0, 0);
      return toTiffPage(context.getImageData(0, 0, image.width, image.height));
    };
    const first = await toPage(createCorner(300, 600));
    const second = await toPage(createCorner(600, 300));
    const tiff = createTiff([first, { ...second, fields: { ...second.fields, 274: 3 } }]);
    expect(await look(await render(tiff))).toEqual({ size: [200, 400], dark: [true, false, false, false] });
    expect(await look(await render(tiff, { number: 2 }))).toEqual({
      size: [200, 100],
      dark: [false, false, false, true],
    });
    expect(await look(await render(tiff, { number: 2, rotation: 90 }))).toMatchObject({
      dark: [false, false, true, false],
    });
    expect((await render(tiff, { number: 3 })).kind).toBe("missing");
  });

  it("are limited in size, and do not exist of other and of damaged files", async () => {
    const long = await look(await render(rawPdf("0 0 10 10 re f", "/CropBox [0 0 10 800]"), { width: 4_000 }));
    expect(long.size[0]! * long.size[1]!).toBeLessThanOrEqual(33_000_000);
    const thin = await look(await render(rawPdf("0 0 10 10 re f", "/CropBox [0 0 0.00001 800]"), { width: 1_000 }));
    expect(thin.size).toEqual([1, 32_767]);
    for (const bytes of [Buffer.from("text"), createCorner(300, 600).subarray(0, 200), Buffer.from("%PDF-1.7 broken")])
      expect((await render(bytes)).kind).toBe("unsupported");
  });
});
