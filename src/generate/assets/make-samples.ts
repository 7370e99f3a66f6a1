/** `npm run samples [-- FOLDER]`: makes the sample files that documentation and examples name. */
import { makeSamples } from './samples.ts'

const folder = process.argv[2] ?? 'out'
// An option that does not exist would become a folder of this name.
if (folder.startsWith('-')) {
  console.error('npm run samples -- FOLDER')
  process.exit(2)
}
await makeSamples(folder)
console.log(`Sample files are in ${folder}/`)
