import { decodePicture } from "./picture/decoding.ts";
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

/** Creates the recognizer that runs PP-OCR models in the ONNX format. They are loaded with the first picture. */
export function createOnnxRecognizer(files: ModelFiles): TextRecognizer {
  let models: Promise<Models> | undefined;
  return {
    async recognize(source) {
      const decoded = source.kind === "drawn" ? source : await decodePicture(source.bytes, source.format);
      if (decoded.picture === undefined) return { problem: decoded.problem };
      models ??= loadModels(files);
      return { text: orderLines(await recognizeLines(decoded.picture, await models)) };
    },
  };
}
