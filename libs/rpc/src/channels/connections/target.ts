import { isIP } from "node:net";

/** The address of a server. IPv6 addresses have no brackets. */
export interface Address {
  readonly host: string;
  readonly port: number;
}

/** What a channel connects to: a list of IP addresses, or a name that has to be resolved to such a list. */
export type Target = { readonly addresses: readonly Address[] } | { readonly name: string; readonly port: number };

/**
 * Parses the target of a channel: `host:port` or `dns:///host:port`, where the host is a name or an IP address (IPv6 in brackets), or
 * `ipv4:address:port,address:port` or `ipv6:[address]:port,[address]:port` for several servers. Throws a TypeError for anything else.
 */
export function parseTarget(text: string): Target {
  const list = /^ipv([46]):(.+)$/.exec(text);
  if (list !== null) {
    const addresses = (list[2] ?? "").split(",").map((part) => parseAddress(part, text));
    if (addresses.some(({ host }) => isIP(host) !== Number(list[1]))) throw invalidTarget(text);
    return { addresses };
  }
  const address = parseAddress(text.replace(/^dns:(?:\/\/\/)?(?=.+:\d+$)/, ""), text);
  return isIP(address.host) === 0 ? { name: address.host, port: address.port } : { addresses: [address] };
}

/** Returns an address as in a URL, with brackets around an IPv6 address. */
export function formatAddress({ host, port }: Address): string {
  return host.includes(":") ? `[${host}]:${port}` : `${host}:${port}`;
}

function parseAddress(text: string, target: string): Address {
  const match = /^(?:\[([\da-f:.]+)\]|([^\s:[\]/,@?#]+)):(\d{1,5})$/i.exec(text);
  const port = Number(match?.[3]);
  const [bracketed, plain] = [match?.[1], match?.[2]];
  if (match === null || port < 1 || port > 65_535) throw invalidTarget(target);
  if (bracketed !== undefined && isIP(bracketed) !== 6) throw invalidTarget(target);
  return { host: bracketed ?? plain ?? "", port };
}

function invalidTarget(text: string): TypeError {
  return new TypeError(`Not a target: ${JSON.stringify(text)}`);
}
