import { writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { fileURLToPath } from 'node:url'
import { makeFolder } from '../../make-folder.ts'
import { ROOT } from '../../root.ts'

/** Writes generated files; paths are relative to the root of the project. */
export async function writeFiles(files: ReadonlyMap<string, string | Uint8Array>): Promise<void> {
  for (const [path, content] of files) {
    const target = fileURLToPath(new URL(path, ROOT))
    await makeFolder(dirname(target))
    await writeFile(target, content)
  }
}
