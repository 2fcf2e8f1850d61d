import type { DescMethod } from "@bufbuild/protobuf";
import type { Logger } from "@switchyard/rpc";

const intervalMs = 1_000;

/**
 * Creates a function that logs refusals: for each method, one line per second with their number. Under overload, logging a line for each
 * refusal would take as long as the refusal itself.
 */
export function createRefusalLog(logger: Logger): (method: DescMethod) => void {
  const counts = new Map<DescMethod, number>();

  function writeLines(): void {
    for (const [{ parent, name }, refused] of counts)
      logger.info({ method: `${parent.name}.${name}`, status: 503, refused }, "requests refused");
    counts.clear();
  }

  return (method) => {
    if (counts.size === 0) setTimeout(writeLines, intervalMs).unref();
    counts.set(method, (counts.get(method) ?? 0) + 1);
  };
}
