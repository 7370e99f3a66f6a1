/** `npm run samples [-- FOLDER]`: makes the sample files that documentation and examples name. */
import { makeSamples } from './samples.ts'

const folder = process.argv[2] ?? 'out'
await makeSamples(folder)
console.log(`Sample files are in ${folder}/`)
