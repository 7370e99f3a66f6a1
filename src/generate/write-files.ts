import { mkdir, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { fileURLToPath } from 'node:url'

/** The root of the project, seen from dist/src/generate. */
const ROOT = new URL('../../../', import.meta.url)

/** Writes generated files; paths are relative to the root of the project. */
export async function writeFiles(files: ReadonlyMap<string, string | Uint8Array>): Promise<void> {
  for (const [path, content] of files) {
    const target = fileURLToPath(new URL(path, ROOT))
    await mkdir(dirname(target), { recursive: true })
    await writeFile(target, content)
  }
}
