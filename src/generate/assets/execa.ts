/** Build step: execa and what it needs become one file, in the place of the module that hands it on. */
import { fileURLToPath } from 'node:url'
import { build } from 'rolldown'
import { builtFile } from '../../root.ts'

const file = fileURLToPath(builtFile('src/engines/process/execa.js'))

await build({
  input: file,
  platform: 'node',
  output: {
    file,
    format: 'esm',
    banner: '/* execa and its dependencies; their licences lie beside them in node_modules. */',
  },
})
