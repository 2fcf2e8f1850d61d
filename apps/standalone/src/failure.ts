/**
 * Returns the message of an error that ended the program. Says which variables to change if the server cannot listen on its address.
 */
export function explainFailure(error: unknown): string {
  const { code, syscall, message = String(error) } = error as Partial<NodeJS.ErrnoException>;
  // The most common reason why a first start fails.
  if (code === "EADDRINUSE") {
    return `${message}. Stop the program that uses it, or set PORT and GRPC_PORT to other ports (0 is any free port).`;
  }
  if (syscall === "listen" || syscall === "getaddrinfo") {
    return `${message}. Set HOST to an address of this machine, and PORT and GRPC_PORT to ports that this program may use.`;
  }
  return message;
}
