/**
 * Build step: writes the catalogue that the front doors read, so that they need not import any tool, and the types of all
 * tools' settings for users of the library.
 */
import { writeFile } from 'node:fs/promises'
import { builtFile } from '../../root.ts'
import { scanTools } from '../../tool/registry.ts'
import { settingsTypes } from './settings-types.ts'

const entries = await scanTools()
await writeFile(builtFile('catalogue.json'), JSON.stringify(entries))
await writeFile(builtFile('src/tool/tool-settings.d.ts'), settingsTypes(entries))
