import { deflateSync } from "node:zlib";
import { createTiff, describePixels } from "../../../../testing/tiff.ts";
import type { TiffOptions, TiffPageSource } from "../../../../testing/tiff.ts";
import { drawTiffPage } from "./drawing.ts";

const width = 64;
const height = 32;

/** The brightness of a pixel of the pictures: dark in the upper left quarter. */
function getGray(x: number, y: number): number {
  return (((x * 37) ^ (y * 91)) & 63) + (x < width / 2 && y < height / 2 ? 0 : 180);
}

/** Returns bytes of each pixel of a rectangle, row by row. */
function paint(
  toBytes: (gray: number) => readonly number[],
  [left, top, across, down]: readonly [number, number, number, number] = [0, 0, width, height],
): Buffer {
  const rows = Array.from({ length: down }, (_, y) =>
    Array.from({ length: across }, (_, x) => toBytes(getGray(left + x, top + y))).flat(),
  );
  return Buffer.from(rows.flat());
}

const gray = (value: number): readonly number[] => [value];
const rgb = (value: number): readonly number[] => [value, value >> 1, 255 - value];

/** Draws the first page, and returns a color of its pixels, row by row. */
async function draw(tiff: Uint8Array, color = 0): Promise<{ size: [number, number]; values: number[] }> {
  const { canvas, problem } = await drawTiffPage(new Uint8Array(tiff), 1, 1e6);
  if (canvas === undefined) throw new Error(problem);
  const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
  return {
    size: [canvas.width, canvas.height],
    values: Array.from({ length: data.length / 4 }, (_, index) => data[4 * index + color]!),
  };
}

/** Returns which quarters are dark, from the upper left one in rows. */
async function look(tiff: Uint8Array): Promise<boolean[]> {
  const { size, values } = await draw(tiff);
  const [across, down] = size;
  const sums = [0, 0, 0, 0];
  for (const [at, value] of values.entries()) {
    const [x, y] = [at % across, Math.floor(at / across)];
    sums[Math.floor((2 * x) / across) + 2 * Math.floor((2 * y) / down)]! += value;
  }
  return sums.map((sum) => sum / (values.length / 4) < 128);
}

const expected = [...paint(gray)];
const upperLeft = [true, false, false, false];

/** Pages that libtiff compressed, in Base64. */
const compressed = {
  Huffman:
    "SUkqAHgAAAAbBqAbBqAbBqAbBqAbBqAbBqAbBqAbBqAbBqAbBqAbBqAbBqAbBqAbBqAbBqAbBqA1A8NwNQPDcDUDw3A1A8NwNQPDcDUDw3A1A8NwNQPDcDUDw3A1A8NwNQPDcDUDw3A1A8NwNQPDcDUDw3A1A8NwCQAAAQMAAQAAAEAAAAABAQMAAQAAACAAAAACAQMAAQAAAAEAAAADAQMAAQAAAAIAAAAGAQMAAQAAAAEAAAARAQQAAQAAAAgAAAAWAQMAAQAAACAAAAAXAQQAAQAAAHAAAAAcAQMAAQAAAAEAAAAAAAAA",
  "facsimile of group 3":
    "SUkqAJgAAAAAEbBqABGwagARsGoAEbBqABGwagARsGoAEbBqABGwagARsGoAEbBqABGwagARsGoAEbBqABGwagARsGoAEbBqABNQPDcAE1A8NwATUDw3ABNQPDcAE1A8NwATUDw3ABNQPDcAE1A8NwATUDw3ABNQPDcAE1A8NwATUDw3ABNQPDcAE1A8NwATUDw3ABNQPDcJAAABAwABAAAAQAAAAAEBAwABAAAAIAAAAAIBAwABAAAAAQAAAAMBAwABAAAAAwAAAAYBAwABAAAAAQAAABEBBAABAAAACAAAABYBAwABAAAAIAAAABcBBAABAAAAkAAAABwBAwABAAAAAQAAAAAAAAA=",
  "facsimile of group 3 in two dimensions":
    "SUkqAHAAAAAAGNg1AAsAGNg1AAsAGNg1AAsAGNg1AAsAGNg1AAsAGNg1AAsAGNg1AAsAGNg1AAsAGageG4ALABmoHhuACwAZqB4bgAsAGageG4ALABmoHhuACwAZqB4bgAsAGageG4ALABmoHhuACwoAAAEDAAEAAABAAAAAAQEDAAEAAAAgAAAAAgEDAAEAAAABAAAAAwEDAAEAAAADAAAABgEDAAEAAAABAAAAEQEEAAEAAAAIAAAAFgEDAAEAAAAgAAAAFwEEAAEAAABoAAAAHAEDAAEAAAABAAAAJAEEAAEAAAABAAAAAAAAAA==",
  "facsimile of group 4":
    "SUkqABoAAAAjYNX////5NQPDf////8AEAEAJAAABAwABAAAAQAAAAAEBAwABAAAAIAAAAAIBAwABAAAAAQAAAAMBAwABAAAABAAAAAYBAwABAAAAAQAAABEBBAABAAAACAAAABYBAwABAAAAIAAAABcBBAABAAAAEgAAABwBAwABAAAAAQAAAAAAAAA=",
  LZW: "SUkqAAoHAACAAASgoXhQch4BigGjILjwQgYVhAahofiQEi4JjgOgITgwYhYdtRct5huhmvJrrxwsZ1tBatpfuRku5prhusJzsx4tZduBiupnhsfBEaA8RAUMDMLCkGCcdB0YAsXAESD8JDUECMDBkeBcVA0QO9pOVkONbNl2Md1L1wLtnPFiN9hNVcNNzMluLdtO1oOtfOFaDYJjwMiIHigah4dgQQgoLjAOiYBiwEhIfhgSg4VjQIjoDiAGspztB2rZxrxkvJnthat51sR4rprsBuuZpuxcuJfshys5trRw0ShAUUA8JDkOVoWjALjqqVIahgfgKmBMbB0QAcVWSxNleONzM14XpgsR1s66XJkuxpta2OdlPFaNtfZTJDgKjIX4zFBAGhUA7CMEBASgEH4KBiFwFhADodAu2jZGYdJjGG1jVHIcJfG20jRG4XJrGmdBimEb5aHiZx1gOEQGhQCYfAyAgXgUGoIB2EwAhYC4ZA6HARgcFIKB+DQChABYbAiHhtlscJeHOaR2mwYZvGSchnl0apgHWYx4mYW5xF6dBpncbJaG+ZRymgEQDoUGwNocgiJIQiyGI0iCPIoEACowGgMlsbaVGUd6XJImSUJslidJgnyaFobKcGQdoegwG4JBSAgRh8CoYAeFQAg4HYLBaBATgEDIaAmF0iSEGIGBWAxonYZZzF6bBbmkdJiHGXxqngZ51GCbhdmsdpkHOYUyTEYpwF+bQMB6CQbgYh4NhgCoVAeEiDhmBAWo4HgIhtBYCooCgUgcEZ2GicxlnAl53mIdJfHGXCTmObhgp4aBymVEpspodBenEW6lOQE4FOWoSqOM6KtKY5rsKkGMggEEoELU8Rdm88qxLo8D1r0tjzvkuRizCaxcm4zTGA0G7/Mkwj9QIxUEQBBjBAYFMDAwGrdNYdxlww2TSQpDzVRFDUTNEcBexAdhkqYrQeggG9OhIoQKgQF4BOQpSwAOHSiBWBwSukCS2L0aJyGXXZcLEdJuGGazxLUwBtmcshfnEXL2HMxjNAgHoNAOyjBBxAqChixTQBUhoMgMEYEBqyzWN0choncbbaNEZkPpKYrVOAXyWnabRbm4ZLbA+HVNAXG4OUpUVMVNTkiVBVlSR5VAEhIeZnVwb8rnhWVgVtYldTJX1lWFLljG6XAdA/aoXAHbNoW4A03Aja88g8Gdyo4jVwhYAJnHneBhGvel13ubVBHLeVGnkY+AJ4nV+GAatNdVHAFgtSSpAUqnB8kRTgMVPgGVEjoDIJABguVw71LA3x1KwWEL1Yo0kyK6GKr0bSwEtDtFwNcYRMiaDYYCTkeKfhgE/GeSIkikBpEpHCuseBLxfrwfKTYYQx10k8HAvsd6jV5EmHk6YYJLBoDVF0N9vItRsF2GSLwa4ui+DrY0NQZ48mSlmGyMw+BbBdjubSXIug8xjNvL0eJtZgCxFkbi3stQ3RgN2Lg6VpZth2KOG+bwZwuxqDBHUMceAzTTC8HSNId5rBvNAGibI2gxh5ucN0iJzBwDRGkGsMN05qhcDVdEbCJzeT1jTFtHI+A8RqMZZLFk7w4xjF8PI2odx6RhDpGYPM9w4C1DRPmL47g0mUDDPCPCKY4TzDOQ4OcXg2RbIhGKboaiJx1oQGu04cyFRayIGIhkbcg5AoeGsPM3iJBaOXXYL10qEhjLzGqhcYI3hdpaS5CIbqYR3C5GoL9M40ElJMGOPIZqURvK4HelcYCslYJegs71MkEoNrCWAk6ECukqDPG0LUcCiDYjfhWTQkQ4hzqQT8SooENSSLwhiTZda6VFG9Hmo2HZJieL3UDEleShRbwmSYkpYg529DUWSMB4CXEtK0FuPJKiuhqjQHeMpYCwhmjoGOscWjvRyrLG0rBWTzhrq3GIlIWqvR1EqT8voZQvyRL/JuNcnRLF2jaGeTJeQuB2jSHOvcng8Cfr9fKMhgIt10rrfwLpd46SSDYXrFOOTIp8jiZLKQ7x8C+MZGClUeTHYzpdG0WwZcYkyjCLJLhlDFx4H0mMWKJ0wj1tGGLPCaJojaTNacz0WqKJtmykHNdD0iDeNIGjIFpc4UJIkk6z8cgwXStDNONluav5Ut3GQXItBdmzjaLgX4ukWS8NxL4fBuo7mSt5FzLcY0coptpGWN6Jzbjvi2REaqP5rjSGyNQbZykN0TuZG7IE3EmTeSIdCMuQbpRuITHnJ1Ejlh3E9F65uZg40pT4eTHMWzzEvxPHclR4FS0tPEoAOh44tKm1XWErCqbzneq4WZWFWSTKurEJISJ+Q6Bup+fsL9dpNCZPoroSx9gz69PwGzXavxPF0jqo4NV8q8GBWIXWSqwi+p8JSg2lZJkH1ajiSomKCJ8RmQVqkPKDMvqmQdG4rIZsIZajEd7RgX8Ex2JKG7BcgIAJAAABAwABAAAAQAAAAAEBAwABAAAAIAAAAAIBAwABAAAACAAAAAMBAwABAAAABQAAAAYBAwABAAAAAQAAABEBBAABAAAACAAAABYBAwABAAAAIAAAABcBBAABAAAAAgcAABwBAwABAAAAAQAAAAAAAAA=",
  JPEG: "SUkqAIgAAAD/2P/AABEIACAAQANSEQBHEQBCEQD/2gAMA1IARwBCAAA/APE68TrxOiiiiiiiiivtevtevteiiiiiiiiiviiviiviiiiiiiiiiivtevtevteiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiv//ZAAsAAAEDAAEAAABAAAAAAQEDAAEAAAAgAAAAAgEDAAMAAAASAQAAAwEDAAEAAAAHAAAABgEDAAEAAAACAAAAEQEEAAEAAAAIAAAAFQEDAAEAAAADAAAAFgEDAAEAAAAgAAAAFwEEAAEAAAB/AAAAHAEDAAEAAAABAAAAWwEHACEBAAAYAQAAAAAAAAgACAAIAP/Y/9sAQwAIBgYHBgUIBwcHCQkICgwUDQwLCwwZEhMPFB0aHx4dGhwcICQuJyAiLCMcHCg3KSwwMTQ0NB8nOT04MjwuMzQy/8QAHwAAAQUBAQEBAQEAAAAAAAAAAAECAwQFBgcICQoL/8QAtRAAAgEDAwIEAwUFBAQAAAF9AQIDAAQRBRIhMUEGE1FhByJxFDKBkaEII0KxwRVS0fAkM2JyggkKFhcYGRolJicoKSo0NTY3ODk6Q0RFRkdISUpTVFVWV1hZWmNkZWZnaGlqc3R1dnd4eXqDhIWGh4iJipKTlJWWl5iZmqKjpKWmp6ipqrKztLW2t7i5usLDxMXGx8jJytLT1NXW19jZ2uHi4+Tl5ufo6erx8vP09fb3+Pn6/9k=",
};

describe("a page of a TIFF", () => {
  it.each(Object.entries(compressed))("that is compressed as %s is decoded", async (name, file) => {
    const tiff = Buffer.from(file, "base64");
    expect(await look(tiff)).toEqual(upperLeft);
    if (name === "LZW") expect((await draw(tiff)).values).toEqual(expected);
  });

  const strips = (bytes: Buffer): Buffer[] => [bytes.subarray(0, bytes.length / 2), bytes.subarray(bytes.length / 2)];
  const pack = (bytes: Buffer): Buffer =>
    Buffer.concat([...bytes].map((byte, index) => Buffer.from(index % 2 === 0 ? [0, byte] : [128, 0, byte])));
  const differences = (bytes: Buffer): Buffer =>
    Buffer.from(bytes.map((byte, at) => (at % width === 0 ? byte : byte - bytes[at - 1]!)));
  const tiles = [0, 16].flatMap((y) => [0, 48].map((x) => [x, y, 48, 16] as const));
  const palette = [0, 1, 2].flatMap((color) => Array.from({ length: 256 }, (_, value) => rgb(value)[color]! * 257));
  const good = describePixels(width, height);
  const cases: Record<string, [TiffPageSource, TiffOptions?]> = {
    gray: [{ fields: good, segments: [paint(gray)] }],
    "gray in strips, with big-endian numbers": [
      { fields: { ...good, 278: 16 }, segments: strips(paint(gray)) },
      { bigEndian: true },
    ],
    "offsets of eight bytes": [{ fields: { ...good, 278: 16 }, segments: strips(paint(gray)) }, { large: true }],
    "offsets of eight bytes, with big-endian numbers": [
      { fields: { ...good, 278: 8 }, segments: [0, 8, 16, 24].map((y) => paint(gray, [0, y, width, 8])) },
      { large: true, bigEndian: true },
    ],
    "white as 0": [{ fields: { ...good, 262: 0 }, segments: [paint((value) => [255 - value])] }],
    "runs of PackBits": [{ fields: { ...good, 259: 32_773 }, segments: [pack(paint(gray))] }],
    "deflated differences": [
      { fields: { ...good, 259: 8, 317: 2 }, segments: [deflateSync(differences(paint(gray)))] },
    ],
    "16 bits": [{ fields: { ...good, 258: 16 }, segments: [paint((value) => [value, 77])] }, { bigEndian: true }],
    "RGB with opacity": [
      {
        fields: { ...describePixels(width, height, 3), 258: [8, 8, 8, 8], 277: 4, 338: 1 },
        segments: [paint((value) => [...rgb(value), 0])],
      },
    ],
    "RGB in planes": [
      {
        fields: { ...describePixels(width, height, 3), 284: 2 },
        segments: [0, 1, 2].map((color) => paint((value) => [rgb(value)[color]!])),
      },
    ],
    CMYK: [
      {
        fields: describePixels(width, height, 4),
        segments: [paint((value) => [...rgb(value).map((c) => 255 - c), 0])],
      },
    ],
    "a palette": [{ fields: { ...good, 262: 3, 320: palette }, segments: [paint(gray)] }],
    tiles: [
      {
        fields: { ...good, 322: 48, 323: 16 },
        segments: tiles.map((tile) => paint(gray, tile)),
        tiled: true,
      },
    ],
  };
  it.each(Object.entries(cases))("that stores %s is decoded exactly", async (name, [page, options]) => {
    const tiff = createTiff([page], options);
    expect((await draw(tiff)).values).toEqual(expected);
    if (/RGB|CMYK|palette/.test(name)) {
      expect((await draw(tiff, 1)).values).toEqual(expected.map((value) => value >> 1));
      expect((await draw(tiff, 2)).values).toEqual(expected.map((value) => 255 - value));
    }
  });

  it("that stores black and white is decoded, even with its bits in reverse order", async () => {
    const isWhite = expected.map((value) => Number(value >= 128));
    for (const reversed of [false, true]) {
      const bytes = Buffer.alloc(expected.length / 8);
      for (const [at, bit] of isWhite.entries()) bytes[at >> 3]! |= bit << (reversed ? at & 7 : 7 - (at & 7));
      const fields = { ...good, 258: 1, 266: reversed ? 2 : 1 };
      const { values } = await draw(createTiff([{ fields, segments: [bytes] }]));
      expect(values).toEqual(isWhite.map((bit) => 255 * bit));
    }
  });

  it("is turned as its orientation says, and its pixels become square", async () => {
    const orient = async (orientation: number): Promise<{ size: number[]; quarter: number }> => {
      const tiff = createTiff([{ fields: { ...good, 274: orientation }, segments: [paint(gray)] }]);
      return { size: (await draw(tiff)).size, quarter: (await look(tiff)).indexOf(true) };
    };
    expect(await Promise.all([1, 2, 3, 4, 5, 6, 7, 8].map(orient))).toEqual([
      ...[0, 1, 3, 2].map((quarter) => ({ size: [width, height], quarter })),
      ...[0, 1, 3, 2].map((quarter) => ({ size: [height, width], quarter })),
    ]);
    const facsimile = createTiff([{ fields: { ...good, 282: 204, 283: 98 }, segments: [paint(gray)] }]);
    expect((await draw(facsimile)).size).toEqual([width, 67]);
    expect(await look(facsimile)).toEqual(upperLeft);
  });

  it("that is damaged, too large, or compressed in another way is not drawn; each says why", async () => {
    const pixels = paint(gray);
    const problems: [RegExp, TiffPageSource][] = [
      [/damaged/, { fields: good, segments: [] }],
      [/damaged/, { fields: { ...good, 259: 5 }, segments: [pixels] }],
      [/damaged/, { fields: { ...good, 259: 8 }, segments: [deflateSync(pixels).subarray(0, 99)] }],
      [/damaged/, { fields: { ...good, 259: 32_773 }, segments: [Buffer.from([1, 2])] }],
      [/damaged/, { fields: { ...good, 259: 7 }, segments: [pixels] }],
      [/damaged/, { fields: { ...good, 273: 1e9, 279: 2_048 }, segments: [] }],
      [/damaged/, { fields: { ...good, 322: 0, 323: 0 }, segments: [pixels] }],
      [/million pixels/, { fields: describePixels(30_000, 30_000), segments: [pixels] }],
      [/256 MiB/, { fields: { ...good, 322: 1 << 20, 323: 1 << 20 }, segments: [pixels], tiled: true }],
      [/by method 4711\. Save it as PDF or PNG/, { fields: { ...good, 259: 4_711 }, segments: [pixels] }],
      [/by JBIG\. Save it as PDF or PNG/, { fields: { ...good, 259: 34_661 }, segments: [pixels] }],
      [/colors/, { fields: { ...good, 262: 8 }, segments: [pixels] }],
      [/colors/, { fields: { ...good, 258: 32 }, segments: [pixels] }],
    ];
    for (const [message, page] of problems) {
      const { problem } = await drawTiffPage(new Uint8Array(createTiff([page])), 1, 1e6);
      expect(problem, String(message) + JSON.stringify(page.fields)).toMatch(message);
    }
  });

  it("ends where a file with offsets of eight bytes is damaged", async () => {
    const file = createTiff([{ fields: good, segments: [paint(gray)] }], { large: true });
    const draws = async (change: (bytes: Buffer) => unknown): Promise<boolean> => {
      const bytes = Buffer.from(file);
      change(bytes);
      return (await drawTiffPage(new Uint8Array(bytes), 1, 1e6)).canvas !== undefined;
    };
    const start = Number(file.readBigUInt64LE(8));
    expect(await draws(() => undefined)).toBe(true);
    expect(await draws((bytes) => bytes.fill(0xff, 8, 16))).toBe(false);
    expect(await draws((bytes) => bytes.fill(0xff, start, start + 8))).toBe(false);
    // The number of values of the first field, the width.
    expect(await draws((bytes) => bytes.fill(0xff, start + 12, start + 20))).toBe(false);
  });

  it("is the only one that is decoded, and previews are not pages", async () => {
    const page = { fields: good, segments: [paint(gray)] };
    const preview = { ...page, fields: { ...good, 254: 1 } };
    const file = new Uint8Array(createTiff([{ ...page, segments: [] }, preview, page], { cycle: 1 }));
    expect((await drawTiffPage(file, 2, 1e6)).canvas).toBeDefined();
    expect(await drawTiffPage(file, 1, 1e6)).toEqual({ problem: "The picture is damaged." });
    expect(await drawTiffPage(file, 3, 1e6)).toEqual({ problem: undefined });
  });
});
