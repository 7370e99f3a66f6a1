import { randomUUID } from 'node:crypto'
import { rmSync } from 'node:fs'
import { rename, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { MediaprocError, toMediaprocError } from '../errors.ts'
import { makeFolder } from '../make-folder.ts'
import { printableName } from '../media/file.ts'
import { ProtectedFiles, refuseExisting } from './conflicts.ts'

/**
 * Writes a report for a run: the file appears complete, in place of an earlier one. Folders are created.
 * @param inputs files that it must not replace
 * @throws MediaprocError OUTPUT_IS_INPUT, IS_A_FOLDER, PERMISSION_DENIED, DISK_FULL
 */
export async function writeText(path: string, text: string, inputs: readonly string[]): Promise<void> {
  refuseExisting(path, await new ProtectedFiles(inputs).refuse(path), true)
  const temporary = join(dirname(path), `.mediaproc-${randomUUID()}.tmp`)
  // A signal may end the process between the two steps.
  const remove = (): void => rmSync(temporary, { force: true })
  process.once('exit', remove)
  try {
    await makeFolder(dirname(path))
    await writeFile(temporary, text)
    await rename(temporary, path)
  } catch (error) {
    remove()
    const { code } = toMediaprocError(error)
    throw new MediaprocError(code, `${printableName(path)} cannot be written`, { cause: error })
  } finally {
    process.removeListener('exit', remove)
  }
}
