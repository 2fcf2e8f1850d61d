import { z } from "zod";

/** The environment variable that turns the console off. */
export const consoleVariables = {
  SWITCHYARD_CONSOLE: z.enum(["on", "off"]).default("on"),
};
