import { decodePicture, toGray, usefulPixels } from "./picture/decoding.ts";
import type { DecodedPicture } from "./picture/decoding.ts";
import { drawTiffPage } from "./picture/tiff/drawing.ts";
import { loadModels } from "./models.ts";
import type { ModelFiles } from "./model-files.ts";
import type { Models } from "./models.ts";
import type { PagePicture } from "./picture/page-picture.ts";
import { orderLines } from "./reading-order.ts";
import type { PictureText } from "./reading-order.ts";
import { recognizeLines } from "./recognition.ts";

/** The result of recognizing text in a picture. `problem` says why the picture cannot be decoded. */
export type Recognition =
  { readonly text: PictureText; readonly problem?: never } | { readonly text?: never; readonly problem: string };

/** Recognizes text in pictures. */
export interface TextRecognizer {
  /** Recognizes the text of a picture. A picture without text has no lines. Rejects only for internal errors. */
  recognize(picture: PagePicture): Promise<Recognition>;
}

async function decode(source: PagePicture): Promise<DecodedPicture> {
  switch (source.kind) {
    case "drawn":
      return source;
    case "file":
      return decodePicture(source.bytes, source.format);
    case "tiff": {
      const { canvas, problem } = await drawTiffPage(source.bytes, source.number, usefulPixels);
      return canvas === undefined ? { problem: problem ?? "The picture is damaged." } : { picture: toGray(canvas) };
    }
  }
}

/** Creates the recognizer that runs PP-OCR models in the ONNX format. They are loaded with the first picture. */
export function createOnnxRecognizer(files: ModelFiles): TextRecognizer {
  let models: Promise<Models> | undefined;
  return {
    async recognize(source) {
      const decoded = await decode(source);
      if (decoded.picture === undefined) return { problem: decoded.problem };
      models ??= loadModels(files);
      return { text: orderLines(await recognizeLines(decoded.picture, await models)) };
    },
  };
}
