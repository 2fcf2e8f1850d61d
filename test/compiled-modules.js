/**
 * Loaded first into the processes of a test run with `node --import`, and therefore into each of their threads, which take no notice of
 * NODE_COMPILE_CACHE. Each loads modules that another has compiled before; that takes half the time. Plain JavaScript, because Node.js
 * loads more to strip types.
 */
import { enableCompileCache, flushCompileCache } from "node:module";
import { join } from "node:path";

enableCompileCache(join(import.meta.dirname, "../node_modules/.cache/switchyard-compiled"));
// Node.js writes what was compiled at the end of a process, but not when a thread or a process is ended from outside.
setTimeout(flushCompileCache, 2_000).unref();
