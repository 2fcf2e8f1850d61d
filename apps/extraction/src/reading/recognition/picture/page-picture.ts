import type { PictureFormat } from "./header.ts";
import type { Picture } from "./picture.ts";

/** A picture of a page: a file, or a page that was drawn. */
export type PagePicture =
  | { readonly kind: "file"; readonly format: PictureFormat; readonly bytes: Uint8Array }
  | { readonly kind: "drawn"; readonly picture: Picture };

/** Returns the bytes of a picture, whose buffer is transferred between threads. */
export function getBytes(picture: PagePicture): Uint8Array {
  return picture.kind === "file" ? picture.bytes : picture.picture.pixels;
}
