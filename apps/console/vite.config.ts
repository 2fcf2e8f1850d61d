import react from "@vitejs/plugin-react";
import { defineConfig } from "vite";

/** The address of a running server, to which `vite dev` sends the requests of the page. */
const server = "http://127.0.0.1:8080";

export default defineConfig({
  root: import.meta.dirname,
  plugins: [react()],
  // Nothing is inlined as a data URL, and no script is in the page: the content security policy forbids it.
  build: { outDir: "dist", emptyOutDir: true, assetsInlineLimit: 0, modulePreload: { polyfill: false } },
  server: { proxy: { "/api": server, "/console/sign-in": server, "/docs": server, "/openapi.json": server } },
});
