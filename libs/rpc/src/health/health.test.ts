import { Code, ConnectError, createHandlerContext, type ServiceImpl } from "@connectrpc/connect";
import { Health } from "@switchyard/contracts/grpc/health/v1/health";
import { healthService } from "./health.ts";

describe("watching the health of a server", () => {
  const draining = new AbortController().signal;
  const { watch } = healthService([], draining).implementation as ServiceImpl<typeof Health>;

  it("fails with the reason for which the call ends, such as its deadline", async () => {
    const call = new AbortController();
    const context = createHandlerContext({
      service: Health,
      method: Health.method.watch,
      protocolName: "grpc",
      requestMethod: "POST",
      url: "http://x/",
      requestSignal: call.signal,
    });
    const statuses = watch({ $typeName: "grpc.health.v1.HealthCheckRequest", service: "" }, context)[
      Symbol.asyncIterator
    ]();
    expect((await statuses.next()).value).toEqual({ status: 1 });
    const next = statuses.next();
    call.abort(new ConnectError("the deadline is over", Code.DeadlineExceeded));
    await expect(next).rejects.toMatchObject({ code: Code.DeadlineExceeded });
  });
});
