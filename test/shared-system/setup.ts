import { join, sep } from "node:path";
import { root } from "../processes.ts";
import { closeSharedSystem } from "./shared-system.ts";

// Tests beside the code do not use the shared system, which would work on in their process: some replace timers, or count commands.
beforeAll(async () => {
  if (expect.getState().testPath?.startsWith(join(root, "test") + sep) !== true) await closeSharedSystem();
});
