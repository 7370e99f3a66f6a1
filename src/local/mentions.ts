import { readFile, writeFile } from 'node:fs/promises'
import { basename } from 'node:path'
import { extensionOf } from '../media/file.ts'
import type { OutputFile } from '../tool/contract.ts'
import type { OutputFacts } from './names/pattern.ts'
import type { OutputPaths } from './output-paths.ts'

const quoted = (name: string): string => JSON.stringify(name).slice(1, -1)

/**
 * Text files that name the job's first file get its final name, such as style sheets of sprites.
 * @param facts of the first file, if its name depends on them
 */
export async function updateMentions(
  paths: OutputPaths,
  files: readonly OutputFile[],
  facts: OutputFacts = {},
): Promise<void> {
  const [first] = files
  if (!first || !files.some(({ mentions }) => mentions)) return
  const name = basename(paths.finalPath(first.name, extensionOf(first.name), facts))
  for (const { path, mentions } of files) {
    if (!mentions || mentions.name === name) continue
    const as = mentions.as.replace(quoted(mentions.name), () => quoted(name))
    await writeFile(
      path,
      (await readFile(path, 'utf8')).replace(mentions.as, () => as),
    )
  }
}
