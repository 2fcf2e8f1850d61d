import { parse } from "content-type";
import Negotiator from "negotiator";
import { notAcceptable } from "./errors.ts";
import { toCharset, type Exchange } from "./exchange.ts";

/**
 * The content codings that responses can have, in the order of preference among those that a client likes equally. The order in its header
 * means nothing: browsers name gzip first.
 */
const codings = ["br", "zstd", "gzip"] as const;

/** What the type declarations of `negotiator` lack: the order among codings of the same quality. */
interface PreferringNegotiator {
  encodings(available: readonly string[], options: { readonly preferred: readonly string[] }): string[];
}

/** A content coding of a response. */
export type Coding = (typeof codings)[number] | "identity";

/**
 * Returns the type that the Accept header prefers among the available ones, the first one if it prefers none. Text is always UTF-8, which
 * the header may also require explicitly; other parameters, such as a version, do not matter.
 * @throws NOT_ACCEPTABLE if it excludes all of them
 */
export function chooseMediaType<Type extends string>(
  { request }: Pick<Exchange, "request">,
  available: readonly [Type, ...Type[]],
): Type {
  const { accept } = request.headers;
  if (accept === undefined || accept.trim() === "" || accept === "*/*") return available[0];
  if (available.length === 1 && isListed(accept, available[0])) return available[0];
  const variants = available.flatMap((type) => [type, `${type};charset=utf-8`]);
  const [chosen] = new Negotiator({ headers: { accept: toPlainRanges(accept) } }).mediaTypes(variants);
  const type = available.find((each) => chosen === each || chosen === `${each};charset=utf-8`);
  if (type === undefined) throw notAcceptable("Accept", available);
  return type;
}

/**
 * Returns an Accept header whose ranges have no parameters but their charset and quality. One that is excluded with other parameters is left
 * out, because that says nothing about the type itself. A lone `*`, which some clients send, means every type.
 */
function toPlainRanges(accept: string): string {
  const ranges: string[] = [];
  for (let index = 0; index < accept.length;) {
    const { type, parameters, index: end } = parse(accept, { comma: true, start: index });
    const { q, charset, ...others } = parameters;
    const quality = q === undefined || q === "" ? "1" : q;
    const range = [type === "*" ? "*/*" : type, ...(charset === undefined ? [] : [`charset=${toCharset(charset)}`])];
    if (Object.keys(others).length === 0 || Number(quality) > 0) ranges.push([...range, `q=${quality}`].join(";"));
    index = end + 1;
  }
  return ranges.join(",");
}

/** Returns whether a header without parameters lists a type. Most clients send such a header, and negotiating takes longer. */
function isListed(accept: string, type: string): boolean {
  return !accept.includes(";") && accept.split(",").some((range) => range.trim() === type);
}

/**
 * Returns the coding that the Accept-Encoding header prefers, `identity` without the header; undefined if it excludes all codings.
 */
export function chooseCoding({ request }: Pick<Exchange, "request">): Coding | undefined {
  if (request.headers["accept-encoding"] === undefined) return "identity";
  const negotiator = new Negotiator(request) as Negotiator & PreferringNegotiator;
  const [coding] = negotiator.encodings([...codings, "identity"], { preferred: codings });
  return coding as Coding | undefined;
}

/**
 * Refuses a request whose Accept-Encoding header excludes every coding, including no coding at all.
 * @throws NOT_ACCEPTABLE
 */
export function requireCoding(exchange: Pick<Exchange, "request">): void {
  if (!acceptsIdentity(exchange) && chooseCoding(exchange) === undefined)
    throw notAcceptable("Accept-Encoding", [...codings, "identity"]);
}

/** Returns whether the Accept-Encoding header allows a response without a content coding. */
export function acceptsIdentity({ request }: Pick<Exchange, "request">): boolean {
  const header = request.headers["accept-encoding"];
  // Only a quality of zero excludes it, and few clients send one.
  return (
    header === undefined || !/q\s*=\s*"?0/i.test(header) || new Negotiator(request).encodings(["identity"]).length > 0
  );
}
