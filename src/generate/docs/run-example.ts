import { readFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { runJob } from '../../job/run.ts'
import { placeFile } from '../../job/workspace.ts'
import { type MediaFile, openMediaFile, stemOf } from '../../media/file.ts'
import { isTextMime } from '../../media/type.ts'
import { runnable } from '../../pipeline/run/run-alone.ts'
import type { CatalogueEntry } from '../../tool/catalogue.ts'
import { loadTool } from '../../tool/registry.ts'
import { checkSettings } from '../../tool/validate.ts'
import { type ExampleResult, exampleInputs, type PagePicture, sampleLine } from './example-results.ts'
import { shortened } from './shorten.ts'
import { thumbnail } from './thumbnail.ts'

/** Maximum number of pictures shown of a set. */
const MAX_PICTURES = 3
const MAX_LINES = 8
const MAX_LINE = 100

async function firstLines(file: MediaFile): Promise<string[]> {
  const lines = (await readFile(file.path, 'utf8')).trimEnd().split(/\r?\n/)
  const shown = lines.slice(0, MAX_LINES).map((line) => (line.length > MAX_LINE ? `${line.slice(0, MAX_LINE)}…` : line))
  return lines.length > MAX_LINES ? [...shown, '…'] : shown
}

/** The first lines of an only output that is text. */
export const shownText = async ([file, ...others]: readonly MediaFile[]): Promise<string[] | undefined> =>
  file && others.length === 0 && isTextMime(file.type.mime) ? await firstLines(file) : undefined

/** Pictures of the first files that have one; `name` gives each its file name. */
async function picturesOf(
  files: readonly MediaFile[],
  media: Map<string, Buffer>,
  name: (file: MediaFile, index: number) => string,
): Promise<PagePicture[]> {
  const pictures: PagePicture[] = []
  for (const file of files) {
    if (pictures.length === MAX_PICTURES) break
    // Beside a playlist, an MP4 is an initialisation without frames.
    if (file.type.id === 'mp4' && files.some(({ type }) => type.id === 'm3u8')) continue
    const small = await thumbnail(file)
    if (!small) continue
    const target = name(file, pictures.length)
    media.set(target, small)
    pictures.push({ name: file.name, file: target })
  }
  return pictures
}

/** The pictures of the outputs of an example, by file name; `name` is `section-tool-number`. */
export const outputPictures = (
  outputs: readonly MediaFile[],
  media: Map<string, Buffer>,
  name: string,
): Promise<PagePicture[]> =>
  picturesOf(outputs, media, (_file, index) => `${name}${index > 0 ? `-${index + 1}` : ''}.webp`)

/**
 * Runs one example of a tool on the samples, as the front doors would.
 * @param number counted from 1, for the names of pictures
 * @param folder holds the samples in `samples/`; outputs go into a folder of their own beside them
 * @param media gets the pictures by file name
 */
export async function runExample(
  entry: CatalogueEntry,
  number: number,
  folder: string,
  media: Map<string, Buffer>,
): Promise<ExampleResult> {
  const tool = await loadTool(entry)
  const example = entry.examples[number - 1]!
  const name = `${entry.section}-${entry.id}-${number}`
  const destination = join(folder, name)
  const settings = checkSettings(tool.settings, { ...example.settings })
  tool.check?.(settings)
  const open = (file: string): Promise<MediaFile> => openMediaFile(join(folder, 'samples', file))
  const inputs = await Promise.all(exampleInputs(entry, example).map(open))
  const secondary: Record<string, MediaFile> = {}
  for (const [key, file] of Object.entries(example.secondary ?? {})) secondary[key] = await open(file)
  const warnings: string[] = []
  const request = {
    tool: runnable(tool),
    inputs,
    secondary,
    settings,
    destination,
    onWarning: (text: string) => warnings.push(text),
  }
  const { files, set, report } = await runJob(request, async (result) => {
    for (const file of result.files) await placeFile(file.path, join(destination, file.name), false)
    return { ...result, files: result.files.map((file) => file.name) }
  })
  const outputs = await Promise.all(files.map((file) => openMediaFile(join(destination, file), file)))
  const text = await shownText(outputs)
  const sources = [...new Map([...inputs, ...Object.values(secondary)].map((file) => [file.path, file])).values()]
  const after = await outputPictures(outputs, media, name)
  // Pages show inputs beside what became of them, and not alone.
  const before =
    after.length === 0 ? [] : await picturesOf(sources, media, (file) => `sample-${stemOf(basename(file.name))}.webp`)
  return {
    line: sampleLine(entry, example),
    files,
    ...(set !== undefined && { set }),
    before,
    after,
    ...(report && { report: shortened(report) }),
    ...(text && { text }),
    warnings,
  }
}
