// The package comes without types; these are the parts that are used.
declare module "html-to-text" {
  export interface Selector {
    selector: string;
    format?: string;
    options?: Record<string, unknown>;
  }
  export interface Options {
    wordwrap?: number | false | null;
    selectors?: Selector[];
    limits?: { maxInputLength?: number; maxDepth?: number; ellipsis?: string };
  }
  export function convert(html: string, options?: Options): string;
}
