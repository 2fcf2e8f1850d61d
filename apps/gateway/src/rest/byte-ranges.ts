import type { IncomingMessage } from "node:http";
import { isUnchanged } from "../http/conditional.ts";

/** A file of known size, with its strong entity tag. */
export interface TaggedFile {
  readonly size: number;
  readonly tag: string;
}

/** What a response contains of a file: the whole, a part, nothing because the client has it, or nothing because there are no such bytes. */
export type Selection =
  | { readonly kind: "whole" | "unchanged" | "unsatisfiable" }
  | { readonly kind: "part"; readonly first: number; readonly last: number };

const whole: Selection = { kind: "whole" };

/**
 * Selects the bytes that the conditions and the range of a request ask for (RFC 9110, sections 13 and 14). If-Match and If-None-Match take
 * precedence. A range is ignored with HEAD, if If-Range names another version or a date, if it is malformed, and if there are several
 * ranges.
 * @throws PRECONDITION_FAILED if If-Match names other versions
 */
export function selectBytes(request: IncomingMessage, { size, tag }: TaggedFile): Selection {
  const { range, "if-range": condition } = request.headers;
  if (isUnchanged(request, tag)) return { kind: "unchanged" };
  if (range === undefined || request.method !== "GET" || (condition !== undefined && condition !== tag)) return whole;
  const [, first = "", last = ""] = /^\s*bytes=\s*(\d*)-(\d*)\s*$/i.exec(range) ?? [];
  if (first === "" && last === "") return whole;
  if (first === "") {
    return Number(last) === 0
      ? { kind: "unsatisfiable" }
      : { kind: "part", first: Math.max(0, size - Number(last)), last: size - 1 };
  }
  if (last !== "" && Number(last) < Number(first)) return whole;
  if (Number(first) >= size) return { kind: "unsatisfiable" };
  return { kind: "part", first: Number(first), last: last === "" ? size - 1 : Math.min(Number(last), size - 1) };
}
