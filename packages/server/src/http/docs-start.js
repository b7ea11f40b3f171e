// Nothing here may send a request to another host: no telemetry, no fonts, no assistants, no links to other services.
const root = new URL('..', document.currentScript.src);
Scalar.createApiReference('#reference', {
  sources: [
    { title: 'v2 API', slug: 'v2', url: new URL('openapi.json', root).href, default: true },
    { title: 'v1 API', slug: 'v1', url: new URL('v1/openapi.json', root).href },
    { title: "Coffer's own API", slug: 'coffer', url: new URL('coffer/openapi.json', root).href },
  ],
  servers: [{ url: root.href.replace(/\/$/, '') }],
  telemetry: false,
  withDefaultFonts: false,
  hideClientButton: true,
  agent: { disabled: true },
  mcp: { disabled: true },
  showDeveloperTools: 'never',
});

// The library links to its maker's site.
new MutationObserver(() => {
  for (const link of document.querySelectorAll('a[href^="http"]'))
    if (link.origin !== location.origin) link.removeAttribute('href');
}).observe(document.body, { childList: true, subtree: true });
