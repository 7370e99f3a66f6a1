// Writes the last table of each benchmark into bench/README.md, between its markers.
import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const README = fileURLToPath(new URL('README.md', import.meta.url))

/** Replaces the text between `<!-- name -->` and `<!-- /name -->`. */
export function saveBlock(name, text) {
  const block = new RegExp(`(<!-- ${name} -->)[^]*(<!-- /${name} -->)`)
  const before = readFileSync(README, 'utf8')
  if (!block.test(before)) throw new Error(`bench/README.md has no marks for ${name}`)
  writeFileSync(
    README,
    before.replace(block, (_all, open, close) => `${open}\n\n${text.trim()}\n\n${close}`),
  )
}
