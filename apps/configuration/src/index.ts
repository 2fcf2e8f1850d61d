export { issueAdministratorToken } from "./administrator-token.ts";
export * from "./bootstrap.ts";
export * from "./organizations.ts";
export * from "./quotas.ts";
export * from "./service.ts";
export * from "./token-pepper.ts";
