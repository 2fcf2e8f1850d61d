// A token is kept in memory only, and no validator of another host is asked.
globalThis.SwaggerUIBundle({
  dom_id: "#viewer",
  url: "openapi.json",
  validatorUrl: null,
  persistAuthorization: false,
  deepLinking: true,
  filter: true,
  defaultModelsExpandDepth: 0,
});
