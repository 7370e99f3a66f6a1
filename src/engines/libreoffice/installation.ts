import { realpath } from 'node:fs/promises'
import { dirname } from 'node:path'

/**
 * The folder of an installation's programs, which contains or neighbours its other files.
 * @param program path of `soffice`, or a link to it
 */
export const programFolder = async (program: string): Promise<string> =>
  dirname(await realpath(program).catch(() => program))
