import { fileURLToPath } from 'node:url'
import vue from '@vitejs/plugin-vue'
import type { Plugin } from 'vite'
import { defineConfig } from 'vitest/config'
import { serviceWorker } from './worker/plugin.ts'

const backend = process.env.WUZI_BACKEND ?? 'http://127.0.0.1:8000'

/** Writes packages.txt: whose code is in the bundle, as named in package-lock.json; THIRD-PARTY.md is made from it. */
function bundledPackages(): Plugin {
  return {
    name: 'bundled-packages',
    generateBundle(_, bundle) {
      const found = new Set<string>()
      for (const file of Object.values(bundle)) {
        for (const id of file.type === 'chunk' ? file.moduleIds : []) {
          const place = /\/(node_modules\/(?:.*\/node_modules\/)?(?:@[^/]+\/)?[^/]+)\//.exec(id)
          if (place?.[1]) found.add(place[1])
        }
      }
      this.emitFile({ type: 'asset', fileName: 'packages.txt', source: [...found].sort().join('\n') + '\n' })
    },
  }
}

export default defineConfig({
  plugins: [vue(), bundledPackages(), serviceWorker()],
  resolve: { alias: { '@': fileURLToPath(new URL('./src', import.meta.url)) } },
  define: {
    __VUE_OPTIONS_API__: 'false',
    __VUE_PROD_DEVTOOLS__: 'false',
    __VUE_I18N_LEGACY_API__: 'false',
    __VUE_I18N_FULL_INSTALL__: 'false',
    __INTLIFY_PROD_DEVTOOLS__: 'false',
    __INTLIFY_DROP_MESSAGE_COMPILER__: 'true',
  },
  experimental: {
    // Scripts and styles find their neighbours wherever the folder lies: `wuzi site` needs no other build.
    renderBuiltUrl: (_, { hostType }) => (hostType === 'html' ? undefined : { relative: true }),
  },
  worker: { format: 'es' },
  build: {
    outDir: '../src/wuzi/data/web',
    emptyOutDir: true,
    // Files stay files: data: URIs would need a looser content security policy.
    assetsInlineLimit: 0,
    target: 'es2022',
    // What a first game needs comes as a few files: thirty small ones take longer over a line of 100 ms.
    rolldownOptions: {
      output: {
        codeSplitting: {
          includeDependenciesRecursively: false,
          groups: [
            { name: 'packages', test: /node_modules|^\0/, priority: 5 },
            ...['en', 'zh-CN'].map((locale) => ({
              name: `texts.${locale}`,
              test: new RegExp(`/src/(app|features/play)/texts\\.${locale}\\.json$`),
              priority: 4,
            })),
            { name: 'details', test: /\/src\/ui\/details\/texts/, priority: 4 },
            // Nothing but what imports nothing else of the page: a file that others also need must not need them.
            { name: 'rules', test: /\/src\/(wasm\/|backend\/module\.ts)/, priority: 3 },
            {
              name: 'page',
              test: /\/src\/((app|board|game|styles|wire)\/|ui\/(?!gif|pictures|RuleDialog|Shortcut)|backend\/(remote\/(kept|server|socket)|backend|served|catalogue|index)\.ts|host|features\/(home\/setup|settings\/settings))/,
              priority: 2,
            },
            { name: 'game', test: /\/src\/features\/(home|play)\/(?!ShareDialog).*\.(ts|vue|css)/, priority: 1 },
          ],
        },
      },
    },
  },
  server: {
    proxy: {
      // The host stays the browser's: the server refuses requests whose Origin is another one.
      '/api': { target: backend, changeOrigin: false },
      '/ws': { target: backend.replace(/^http/, 'ws'), ws: true, changeOrigin: false },
      '/move': { target: backend, changeOrigin: false },
      '/openapi.json': { target: backend, changeOrigin: false },
    },
  },
  test: {
    environment: 'happy-dom',
    // The golden messages need what `wuzi site` writes: tests/wasm/test_page_messages.py runs those.
    include: [process.env.WUZI_SITE_DATA ? 'tests/messages/*.test.ts' : 'tests/*.test.ts'],
    // Whole searches, on machines that do other things too.
    testTimeout: process.env.WUZI_SITE_DATA ? 300_000 : 5_000,
    restoreMocks: true,
  },
})
