import { MediaprocError } from '../../../src/errors.ts'
import { zip } from '../../../src/lists.ts'
import { encodeIco } from '../../../src/media/codecs/ico.ts'
import { printableName, stemOf } from '../../../src/media/file.ts'
import { imageError } from '../../../src/media/image/errors.ts'
import { UniqueNames } from '../../../src/media/unique-names.ts'
import type { PictureInput } from '../../../src/tool/contract.ts'
import { imageTool } from '../../../src/tool/image-tool.ts'
import { color, integer, list, type SettingsOf } from '../../../src/tool/settings.ts'
import { drawIcon, ICO_SIDES, manifestOf, PNG_ICONS, snippetOf } from './favicon/icons.ts'

const settings = {
  padding: integer('padding on each edge, as a percentage of the side', { default: 0, min: 0, max: 40, unit: '%' }),
  backgroundColor: color('background colour; transparent by default', { aliases: ['background'] }),
  borderRadius: integer('corner radius, as a percentage of the side', {
    default: 0,
    min: 0,
    max: 50,
    unit: '%',
    aliases: ['radius'],
  }),
  sizes: list(integer('side of a PNG icon', { enum: [16, 32, 48, 180, 192, 512] }), 'only these PNG sizes', {
    example: [32, 180],
  }),
  themeColor: color('theme_color and background_color of the manifest', { default: '#ffffff' }),
}

type Settings = SettingsOf<typeof settings>

interface Icon {
  name: string
  type: string
  data: Uint8Array | string
}

/** All files for one image, under `folder` ('' or 'logo/'). */
async function iconSet(picture: PictureInput, folder: string, options: Settings, signal: AbortSignal): Promise<Icon[]> {
  const square = await (await picture.open()).toSrgb()
  const kept = PNG_ICONS.filter(({ side }) => !options.sizes || options.sizes.includes(side))
  const files: Icon[] = []
  for (const { name, side } of kept) {
    files.push({ name: folder + name, type: 'png', data: await drawIcon(square, side, options) })
    signal.throwIfAborted()
  }
  const entries = []
  for (const side of ICO_SIDES) entries.push({ width: side, height: side, png: await drawIcon(square, side, options) })
  const manifest = manifestOf(stemOf(picture.name), kept, options.themeColor)
  files.push({ name: `${folder}favicon.ico`, type: 'ico', data: encodeIco(entries) })
  files.push({ name: `${folder}manifest.json`, type: 'json', data: manifest })
  files.push({ name: `${folder}favicon-snippet.html`, type: 'html', data: snippetOf(kept) })
  return files
}

/** A unique folder name for every input, even if two have the same stem. */
function folders(pictures: readonly PictureInput[]): string[] {
  if (pictures.length === 1) return ['']
  const names = new UniqueNames({ repeat: (name, number) => `${name}-${number}`, first: 2 })
  return pictures.map(({ name }) => `${names.give(stemOf(name))}/`)
}

export default imageTool({
  id: 'favicon',
  summary: 'Produce the full favicon and app-icon set as a ZIP',
  input: { files: 'many', min: 1, max: 100, accept: ['image'] },
  settings,
  output: {
    kind: 'files',
    type: { oneOf: ['png', 'ico', 'json', 'html'] },
    set: 'favicons',
    archive: 'favicons',
    direct: true,
  },
  examples: [
    { title: 'icons from a logo', inputs: ['logo.svg'] },
    {
      title: 'a round icon on a colour',
      inputs: ['logo.svg'],
      settings: { padding: 12, backgroundColor: '#fef3c7', borderRadius: 50, themeColor: '#1e3a8a' },
    },
  ],
  decode: () => ({ firstPage: true, dpi: 300 }),
  async produce(pictures, options, { signal, progress, warn }) {
    const files: Icon[] = []
    const skipped: string[] = []
    for (const [index, [picture, folder]] of zip(pictures, folders(pictures)).entries()) {
      progress(index / pictures.length, 'drawing')
      try {
        files.push(...(await iconSet(picture, folder, options, signal)))
      } catch (error) {
        signal.throwIfAborted()
        const known = imageError(error, picture.name)
        if (pictures.length === 1) throw known
        skipped.push(`${printableName(picture.name)}: ${known.message}`)
        warn(`skipped ${known.message}`)
      }
    }
    if (files.length === 0)
      throw new MediaprocError('INVALID_FILE', 'None of the images can be read', { detail: skipped.join('\n') })
    if (skipped.length > 0) files.push({ name: 'skipped-files.txt', type: 'txt', data: `${skipped.join('\n')}\n` })
    return { files, set: 'favicons' }
  },
})
