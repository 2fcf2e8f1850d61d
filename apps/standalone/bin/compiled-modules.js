/**
 * Loaded first into a program with `node --import`, and therefore into each of its threads, which take no notice of NODE_COMPILE_CACHE. Each
 * loads modules that another, or an earlier start, has compiled before. Entries belong to the contents of a module, so none can be stale.
 * Where the folder cannot be written, nothing is kept. Plain JavaScript, because Node.js loads more to strip types.
 */
import { enableCompileCache, flushCompileCache } from "node:module";
import { join } from "node:path";

enableCompileCache(join(import.meta.dirname, "../../../node_modules/.cache/switchyard-compiled"));
// Node.js writes what was compiled at the end of a process, but not when a thread or a process is ended from outside.
setTimeout(flushCompileCache, 2_000).unref();
