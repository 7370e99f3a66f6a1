/**
 * Build step: renders the meme templates to dist/memes, pictures next to a manifest.json, in the form of an operator's own
 * folder. The drawings in `memes/` are ours; none shows a person who exists.
 */
import { readFile, rm, writeFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { openSharp } from '../../engines/sharp.ts'
import { makeFolder } from '../../make-folder.ts'
import { MEME_CATEGORIES, type MemeManifest, type MemeTemplate } from '../../media/image/decode/memes.ts'
import { builtFile, ROOT } from '../../root.ts'
import { TEMPLATES } from './meme-templates.ts'

const TARGET = fileURLToPath(builtFile('memes/'))

await rm(TARGET, { recursive: true, force: true })
await makeFolder(TARGET)
const templates: MemeTemplate[] = []
for (const [index, { boxes, ...row }] of TEMPLATES.entries()) {
  const filename = `${row.id}.png`
  const drawing = await readFile(new URL(`src/generate/assets/memes/${row.id}.svg`, ROOT))
  // Flat colours: a palette holds them, and is a quarter of the size.
  const image = (await openSharp(drawing)).removeAlpha().png({ palette: true, effort: 10, dither: 0 })
  const { data, info } = await image.toBuffer({ resolveWithObject: true })
  await writeFile(new URL(filename, builtFile('memes/')), data)
  const textBoxes = boxes.map(([id, x, y, width, height]) => ({ id, x, y, width, height }))
  const popularity = TEMPLATES.length - index
  templates.push({ ...row, filename, width: info.width, height: info.height, popularity, textBoxes })
}
const manifest: MemeManifest = { version: 1, categories: MEME_CATEGORIES, templates }
await writeFile(new URL('manifest.json', builtFile('memes/')), `${JSON.stringify(manifest, null, 2)}\n`)
