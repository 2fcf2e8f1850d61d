import { encodingsOfPages } from "../decoding.ts";

/** The encodings of the text of an RTF document, which depend on the fonts. */
export interface RtfFonts {
  /** Follows a word that says something about the encoding of the document, or about a font in the table of fonts. */
  follow(word: string, parameter: number, font: number | undefined): void;
  /**
   * Decodes bytes of text in a font. A character of several bytes is returned with its last byte, so there may be nothing to return; `isIncomplete`
   * says then that the character continues.
   */
  decode(bytes: string, font: number | undefined): string;
  readonly isIncomplete: boolean;
  /** Forgets the beginning of a character, because something else follows. */
  end(): void;
}

/** The encodings of the character sets of fonts (`\fcharset`). Others are those of the document. */
const encodingsOfFonts: ReadonlyMap<number, string> = new Map([
  [0, "windows-1252"],
  [2, "windows-1252"],
  [77, "macintosh"],
  [128, "shift_jis"],
  [129, "euc-kr"],
  [134, "gb18030"],
  [136, "big5"],
  [161, "windows-1253"],
  [162, "windows-1254"],
  [163, "windows-1258"],
  [177, "windows-1255"],
  [178, "windows-1256"],
  [186, "windows-1257"],
  [204, "windows-1251"],
  [222, "windows-874"],
  [238, "windows-1250"],
]);

/** The encodings whose characters may have several bytes. */
const multiByte: ReadonlySet<string> = new Set(["shift_jis", "euc-kr", "gb18030", "big5", "utf-8"]);

/** How bytes become characters: by the character of each byte, or by a decoder if a character may have several. */
type Decoding = { readonly characters: readonly string[] } | { readonly decoder: InstanceType<typeof TextDecoder> };

/** Creates the encodings of a document, which is in Windows-1252 unless it says something else. */
export function createRtfFonts(): RtfFonts {
  const ofFonts = new Map<number, string>();
  const decodings = new Map<string, Decoding>();
  let ofDocument = "windows-1252";
  let isIncomplete = false;
  /** The decoder that may have the beginning of a character. */
  let current: InstanceType<typeof TextDecoder> | undefined;

  function end(): void {
    current?.decode();
    current = undefined;
    isIncomplete = false;
  }

  function findDecoding(font: number | undefined): Decoding {
    const encoding = (font === undefined ? undefined : ofFonts.get(font)) ?? ofDocument;
    const decoding = decodings.get(encoding) ?? createDecoding(encoding);
    decodings.set(encoding, decoding);
    return decoding;
  }

  return {
    follow(word, parameter, font) {
      if (word === "ansicpg") ofDocument = encodingsOfPages.get(parameter) ?? ofDocument;
      else if (word === "mac") ofDocument = "macintosh";
      else if (word === "fcharset" && font !== undefined) {
        const encoding = encodingsOfFonts.get(parameter);
        if (encoding !== undefined) ofFonts.set(font, encoding);
      }
    },
    decode(bytes, font) {
      const decoding = findDecoding(font);
      if ("characters" in decoding) {
        end();
        let text = "";
        for (let at = 0; at < bytes.length; at++) text += decoding.characters[bytes.charCodeAt(at)] ?? "";
        return text;
      }
      const { decoder } = decoding;
      if (decoder !== current) end();
      current = decoder;
      const text = decoder.decode(Buffer.from(bytes, "latin1"), { stream: true });
      isIncomplete = text === "";
      return text;
    },
    get isIncomplete() {
      return isIncomplete;
    },
    end,
  };
}

function createDecoding(encoding: string): Decoding {
  const decoder = new TextDecoder(encoding);
  if (multiByte.has(encoding)) return { decoder };
  return { characters: Array.from({ length: 256 }, (_, byte) => decoder.decode(Uint8Array.of(byte))) };
}
