/**
 * Returns the URL at which a person on this machine opens a server. An address that stands for all addresses of the machine becomes that of
 * loopback: not every system opens it, and browsers do not trust it, so that nothing can be copied to the clipboard.
 */
export function toLocalUrl(url: string): string {
  return url.replace("//0.0.0.0:", "//127.0.0.1:").replace("//[::]:", "//[::1]:");
}
