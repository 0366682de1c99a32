import tailwind from '@tailwindcss/vite';
import react from '@vitejs/plugin-react';
import { defineConfig, type Plugin } from 'vite';
import { routePaths } from './route-paths.ts';

const hub = process.env['PARLEY_HUB'] ?? 'http://127.0.0.1:7440';

/** While developing, as the hub does it. */
const requestPage = (): Plugin => ({
  name: 'request-page',
  configureServer: ({ middlewares }) => {
    middlewares.use((request, _response, next) => {
      if (request.url?.startsWith('/g/')) request.url = '/g.html';
      next();
    });
  },
});

export default defineConfig({
  plugins: [routePaths(), requestPage(), react(), tailwind()],
  build: {
    target: 'es2023',
    // The hub's CSP allows nothing inline: not even a small image as a data: URL.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: true,
    rolldownOptions: {
      // The page for people without an agent is small, and loads nothing of the app.
      input: ['index.html', 'g.html'],
      output: {
        // In one file, and so in the order of their imports: no schema may be built before zod was told not to compile code.
        codeSplitting: { groups: [{ name: 'schemas', test: /node_modules\/zod\/|packages\/protocol\/src\/|lib\/no-eval/ }] },
      },
    },
  },
  server: {
    proxy: {
      '/api': {
        target: hub,
        changeOrigin: true,
        ws: true,
        // The hub refuses requests from pages that are not its own; while developing, this page is.
        headers: { origin: new URL(hub).origin },
      },
    },
  },
});
