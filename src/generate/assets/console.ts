/** Build step: the console in the browser, from `web` into `dist/web`, with a Brotli file beside each of its files. */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { brotliCompressSync, constants } from 'node:zlib'
import { build } from 'vite'
import { builtFile, ROOT } from '../../root.ts'
import { notePackages, writePackages } from './bundled-packages.ts'

const FOLDER = fileURLToPath(builtFile('web'))

await build({
  root: fileURLToPath(new URL('web', ROOT)),
  // The server may be below a path of a proxy that it does not know.
  base: './',
  configFile: false,
  logLevel: 'warn',
  publicDir: false,
  build: {
    outDir: FOLDER,
    emptyOutDir: true,
    target: 'es2022',
    // Inlined files would be scripts or styles that the policy of the page refuses.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
  },
  plugins: [
    {
      name: 'packages',
      generateBundle: (_options, bundle) =>
        notePackages(Object.values(bundle).flatMap((part) => (part.type === 'chunk' ? part.moduleIds : []))),
    },
  ],
})

const ASSETS = join(FOLDER, 'assets')
for (const name of readdirSync(ASSETS)) {
  const bytes = readFileSync(join(ASSETS, name))
  const options = { params: { [constants.BROTLI_PARAM_QUALITY]: 11, [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length } }
  writeFileSync(join(ASSETS, `${name}.br`), brotliCompressSync(bytes, options))
}
writePackages()
