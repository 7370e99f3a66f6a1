import { copyFileSync, cpSync } from 'node:fs'
import { basename, join } from 'node:path'
import sharp from 'sharp'
import { beforeAll, describe, expect, test } from 'vitest'
import { runFfmpeg } from '../../src/engines/ffmpeg/ffmpeg.ts'
import { openMediaFile } from '../../src/media/file.ts'
import type { CatalogueEntry } from '../../src/tool/catalogue.ts'
import { loadTool, scanTools } from '../../src/tool/registry.ts'
import convertSpreadsheet from '../../tools/files/convert-spreadsheet.ts'
import convertImage from '../../tools/image/convert/convert.ts'
import { makeAudio, makeVideo } from '../helpers/av.ts'
import { animation } from '../helpers/picture.ts'
import { documentationSamples, sharedSample } from '../helpers/shared-samples.ts'
import { run, temporaryFolder } from '../helpers/tool.ts'

const folder = temporaryFolder()
const presets = (await scanTools()).filter((entry) => entry.base !== undefined)

const VIDEOS = ['mov', 'mkv', 'avi', 'webm']
const SOUNDS = ['aac', 'm4a', 'ogg', 'flac']
const PICTURES = ['png', 'webp', 'gif', 'tiff', 'psd', 'eps', 'heic']

beforeAll(async () => {
  cpSync(await documentationSamples(), folder, { recursive: true })
  // A small target shows the same as a large one; a size in kilobytes is tested with the large one.
  await sharp(join(folder, 'portrait.jpg')).resize(96).toFile(join(folder, 'small.jpg'))
  for (const extension of VIDEOS)
    copyFileSync(await makeVideo({ seconds: 1, audio: true, extension }), join(folder, `clip.${extension}`))
  for (const extension of SOUNDS)
    copyFileSync(await makeAudio({ seconds: 1, extension }), join(folder, `tone.${extension}`))
})

/** The sample of a type; the tools themselves create rare ones. A video tool requires an animated GIF. */
async function sampleOf(extension: string, section: string): Promise<string> {
  if (extension === 'gif' && section === 'video')
    return sharedSample(['moving'], 'moving.gif', (path) => animation(path, ['#b02010', '#10b020', '#1020b0']))
  const known: Record<string, string> = {
    jpg: 'small.jpg',
    image: 'photo.jpg',
    svg: 'logo.svg',
    pdf: 'report.pdf',
    xlsx: 'staff.xlsx',
    wav: 'hum.wav',
  }
  if (known[extension]) return join(folder, known[extension])
  if (extension === 'mp4' || VIDEOS.includes(extension)) return join(folder, `clip.${extension}`)
  if (extension === 'mp3' || SOUNDS.includes(extension)) return join(folder, `tone.${extension}`)
  if (PICTURES.includes(extension))
    return sharedSample(['small', extension], `small.${extension}`, async (path) => {
      const { paths } = await run(convertImage, folder, [join(folder, 'small.jpg')], { format: extension })
      copyFileSync(paths[0]!, path)
    })
  throw new Error(`no sample for ${extension}`)
}

const formatOf = ({ output: { type } }: CatalogueEntry, source: string): string =>
  type && 'is' in type ? type.is : basename(source).split('.').at(-1)!

test('there are presets in every section', () => {
  expect(new Set(presets.map(({ section }) => section))).toEqual(new Set(['image', 'video', 'audio', 'pdf', 'files']))
  expect(new Set(presets.map(({ id }) => id)).size).toBe(presets.length)
})

describe('each writes its format', () => {
  test.each(presets.map((entry) => [`${entry.section}/${entry.id}`, entry] as const))('%s', async (_name, entry) => {
    const source = await sampleOf(entry.input.accept[0]!, entry.section)
    const tool = await loadTool(entry)
    const small =
      'durationS' in tool.settings ? { durationS: 0.5, width: 64 } : 'dpi' in tool.settings ? { dpi: 36 } : {}
    const { paths, names } = await run(tool, folder, [source], small)
    const wanted = formatOf(entry, source)
    for (const [index, path] of paths.entries()) {
      const { type, bytes } = await openMediaFile(path)
      expect(type.extensions).toContain(wanted)
      expect(names[index]).toMatch(new RegExp(`\\.${wanted}$`))
      const limit = entry.locked?.targetSizeKb
      if (typeof limit === 'number') expect(bytes).toBeLessThanOrEqual(limit * 1000)
    }
    expect(paths.length).toBeGreaterThan(0)
  })
})

test('a preset only accepts its input type, and only its own settings', async () => {
  const entry = presets.find(({ id }) => id === 'wav-to-mp3')!
  const tool = await loadTool(entry)
  await expect(run(tool, folder, [join(folder, 'photo.jpg')])).rejects.toMatchObject({ code: 'UNSUPPORTED_FILE_TYPE' })
  await expect(run(tool, folder, [join(folder, 'hum.wav')], { format: 'ogg' })).rejects.toMatchObject({
    code: 'INVALID_SETTINGS',
  })
})

test('values that the tool fills in do not count as requested', async () => {
  // 192 kbit/s, the default, is refused at 8 kHz on request.
  const source = join(folder, 'low.wav')
  await runFfmpeg(['-f', 'lavfi', '-i', 'sine=d=1:sample_rate=8000', source])
  const tool = await loadTool(presets.find(({ id }) => id === 'wav-to-mp3')!)
  expect((await run(tool, folder, [source])).names).toEqual(['low.mp3'])
})

test('excel-to-csv accepts XLS too', async () => {
  const library = await import('@e965/xlsx')
  const book = library.utils.book_new()
  library.utils.book_append_sheet(book, library.utils.aoa_to_sheet([['a', 1]]), 'One')
  const path = join(folder, 'old.xls')
  const { writeFileSync, readFileSync } = await import('node:fs')
  writeFileSync(path, library.write(book, { type: 'buffer', bookType: 'xls' }) as Uint8Array)
  const tool = await loadTool(presets.find(({ id }) => id === 'excel-to-csv')!)
  const { paths } = await run(tool, folder, [path])
  expect(readFileSync(paths[0]!, 'utf8')).toBe('a,1')
  expect(tool.settings).toEqual({})
  expect(Object.keys(convertSpreadsheet.settings)).toEqual(['format', 'sheet', 'encoding'])
})
