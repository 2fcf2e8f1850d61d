export * from "./audit-outbox.ts";
export * from "./change-reader.ts";
export * from "./configuration-link.ts";
export * from "./deleted-projects.ts";
export * from "./project-removal.ts";
export * from "./engine-places.ts";
