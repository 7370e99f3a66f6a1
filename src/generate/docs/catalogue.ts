/** Build step: writes the catalogue that the front doors read, so that they need not import any tool. */
import { writeFile } from 'node:fs/promises'
import { builtFile } from '../../root.ts'
import { scanTools } from '../../tool/registry.ts'

const entries = await scanTools()
await writeFile(builtFile('catalogue.json'), JSON.stringify(entries))
