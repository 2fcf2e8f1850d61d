import type { PictureFormat } from "./format.ts";
import type { Picture } from "./picture.ts";

/** A picture of a page: a file, a page of a TIFF, or a page that was drawn. */
export type PagePicture =
  | { readonly kind: "file"; readonly format: PictureFormat; readonly bytes: Uint8Array }
  /** The number counts the pages of the TIFF from 1. Its bytes are shared between threads, because they contain all of its pages. */
  | { readonly kind: "tiff"; readonly bytes: Uint8Array<SharedArrayBuffer>; readonly number: number }
  | { readonly kind: "drawn"; readonly picture: Picture };

/** Returns the buffers of a picture that are transferred between threads. */
export function getTransferred(picture: PagePicture): ArrayBuffer[] {
  if (picture.kind === "tiff") return [];
  return [(picture.kind === "file" ? picture.bytes : picture.picture.pixels).buffer as ArrayBuffer];
}
