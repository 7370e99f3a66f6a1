import { writeFile } from 'node:fs/promises'
import { MediaprocError } from '../../src/errors.ts'
import { encodeIco } from '../../src/media/codecs/ico.ts'
import { type MediaFile, printableName, stemOf } from '../../src/media/file.ts'
import { decodeImage } from '../../src/media/image/decode.ts'
import { imageError } from '../../src/media/image/errors.ts'
import type { Job, OutputFile } from '../../src/tool/contract.ts'
import { tool } from '../../src/tool/contract.ts'
import { color, integer, list, type SettingsOf } from '../../src/tool/settings.ts'
import { drawIcon, ICO_SIDES, manifestOf, PNG_ICONS, snippetOf } from './favicon/icons.ts'

const settings = {
  padding: integer('free space on each edge, of the side', { default: 0, min: 0, max: 40, unit: '%' }),
  backgroundColor: color('colour behind the picture; absent keeps it transparent', { aliases: ['background'] }),
  borderRadius: integer('rounding of the corners, of the side', {
    default: 0,
    min: 0,
    max: 50,
    unit: '%',
    aliases: ['radius'],
  }),
  sizes: list(integer('side of a PNG icon', { enum: [16, 32, 48, 180, 192, 512] }), 'only these PNG sizes'),
  themeColor: color('theme_color and background_color of the manifest', { default: '#ffffff' }),
}

type Wishes = SettingsOf<typeof settings>

/** All files of one picture, under `folder` ('' or 'logo/'). */
async function iconSet(job: Job, file: MediaFile, folder: string, wishes: Wishes): Promise<OutputFile[]> {
  const source = await decodeImage(file, { firstPage: true, dpi: 300 })
  const square = await source.toSrgb()
  const files: OutputFile[] = []
  const put = async (name: string, mime: string, data: Uint8Array | string): Promise<void> => {
    const path = await job.output(folder + name)
    await writeFile(path, data)
    files.push({ path, name: folder + name, mime })
  }
  const kept = PNG_ICONS.filter(({ side }) => !wishes.sizes || wishes.sizes.includes(side))
  for (const { name, side } of kept) {
    await put(name, 'image/png', await drawIcon(square, side, wishes))
    job.signal.throwIfAborted()
  }
  const entries = []
  for (const side of ICO_SIDES) entries.push({ width: side, height: side, png: await drawIcon(square, side, wishes) })
  await put('favicon.ico', 'image/x-icon', encodeIco(entries))
  const stem = stemOf(file.name)
  await put('manifest.json', 'application/json', manifestOf(stem, kept, wishes.themeColor))
  await put('favicon-snippet.html', 'text/html', snippetOf(kept))
  return files
}

/** A folder name for every input; two of the same stem are told apart. */
function folders(inputs: readonly MediaFile[]): string[] {
  if (inputs.length === 1) return ['']
  const used = new Set<string>()
  return inputs.map((file) => {
    const stem = stemOf(file.name)
    let name = stem
    for (let number = 2; used.has(name.toLowerCase()); number += 1) name = `${stem}-${number}`
    used.add(name.toLowerCase())
    return `${name}/`
  })
}

export default tool({
  section: 'image',
  id: 'favicon',
  summary: 'Produce the full favicon and app-icon set as a ZIP',
  input: { files: 'many', min: 1, max: 100, accept: ['image'] },
  settings,
  output: { kind: 'files', type: { oneOf: ['png', 'ico', 'json', 'html'] }, archive: 'favicons', direct: true },
  engines: ['sharp'],
  examples: [
    { title: 'icons from a logo', inputs: ['logo.svg'] },
    {
      title: 'a round icon on a colour',
      inputs: ['logo.svg'],
      settings: { padding: 12, backgroundColor: '#fef3c7', borderRadius: 50, themeColor: '#1e3a8a' },
    },
  ],
  async run(job, wishes) {
    const files: OutputFile[] = []
    const skipped: string[] = []
    for (const [index, folder] of folders(job.inputs).entries()) {
      const file = job.inputs[index]!
      job.progress(index / job.inputs.length, 'drawing')
      try {
        files.push(...(await iconSet(job, file, folder, wishes)))
      } catch (error) {
        job.signal.throwIfAborted()
        const known = imageError(error, file.name)
        if (job.inputs.length === 1) throw known
        skipped.push(`${printableName(file.name)}: ${known.message}`)
        job.warn(`skipped ${known.message}`)
      }
    }
    if (files.length === 0)
      throw new MediaprocError('INVALID_FILE', 'None of the pictures can be read', { detail: skipped.join('\n') })
    if (skipped.length > 0) {
      const path = await job.output('skipped-files.txt')
      await writeFile(path, `${skipped.join('\n')}\n`)
      files.push({ path, name: 'skipped-files.txt', mime: 'text/plain' })
    }
    return { files, set: 'favicons' }
  },
})
