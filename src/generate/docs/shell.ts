/** `npm run generate`: writes the completion files and man pages that are committed. */
import { catalogue } from '../../tool/registry.ts'
import { shellFiles } from './shell-files.ts'
import { writeFiles } from './write-files.ts'

await writeFiles(shellFiles(catalogue()))
