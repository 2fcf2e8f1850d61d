import { create, type MessageInitShape } from "@bufbuild/protobuf";
import { createClient, type HandlerContext, type Interceptor, type Transport } from "@connectrpc/connect";
import { ClassifierDetailSchema, ClassifierService } from "@switchyard/contracts/switchyard/classifier/v1/classifier";
import { serverInterceptors } from "../interceptors/chains.ts";
import type { ServiceRegistration } from "../serving/registration.ts";
import { recordingLogger, registerSome } from "../testing/test-services.ts";

/** Starts the services and returns a transport to them. */
export type Connect = (
  services: readonly ServiceRegistration[],
  serverInterceptors: readonly Interceptor[],
) => Promise<{ transport: Transport; close(): Promise<void> }>;

type GetClassifier = (id: string, context: HandlerContext) => Promise<MessageInitShape<typeof ClassifierDetailSchema>>;

/** Connects the tests of a suite to services, and closes the connections after each test. */
export function useTransport(connect: Connect) {
  let closing: (() => Promise<void>)[] = [];
  afterEach(async () => {
    await Promise.all(closing.map((close) => close()));
    closing = [];
  });

  async function reach(services: ServiceRegistration[], log = recordingLogger()) {
    const { transport, close } = await connect(services, serverInterceptors({ logger: log.logger }));
    closing.push(close);
    return { transport, lines: log.lines };
  }

  return {
    /** Returns a transport to the services, and the lines that their server logs. */
    reach,
    /** Returns a client of ClassifierService, of which only one method is implemented. */
    async classifiers(getClassifier: GetClassifier) {
      const { transport, lines } = await reach([
        registerSome(ClassifierService, {
          getClassifier: async ({ classifierId }, context) =>
            create(ClassifierDetailSchema, await getClassifier(classifierId, context)),
        }),
      ]);
      return { client: createClient(ClassifierService, transport), lines };
    },
  };
}
