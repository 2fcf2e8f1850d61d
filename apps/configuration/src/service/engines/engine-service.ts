import { create } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { getCaller } from "@switchyard/access";
import {
  EngineService,
  EngineStatus,
  ListEnginesResponseSchema,
} from "@switchyard/contracts/switchyard/configuration/v1/engines";
import { listBuiltInEngines } from "@switchyard/engines";
import { register } from "@switchyard/rpc";
import type { ServiceRegistration } from "@switchyard/rpc";
import type { Dependencies } from "../dependencies.ts";
import { createEngineChecks } from "./engine-checks.ts";

/** Implements EngineService: the engines of the program, and the language models that an organization may use. */
export function engineService({ engines, now }: Pick<Dependencies, "engines" | "now">): ServiceRegistration {
  const startedAt = timestampFromDate(now());
  const check = createEngineChecks((name, signal) => engines.ping(name, signal), now);
  return register(EngineService, {
    async listEngines(_request, context) {
      const usable = engines.list(getCaller(context).organizationId);
      const checked = await Promise.all(
        usable.map(async ({ name, models, images }) => {
          const { ready, at } = await check(name);
          const status = ready ? EngineStatus.READY : EngineStatus.UNREACHABLE;
          return { name, models: [...models], images, learns: false, status, checkedAt: timestampFromDate(at) };
        }),
      );
      const builtIn = listBuiltInEngines().map((name) => {
        return { name, learns: name === "local", status: EngineStatus.READY, checkedAt: startedAt };
      });
      return create(ListEnginesResponseSchema, { engines: [...builtIn, ...checked] });
    },
  });
}
