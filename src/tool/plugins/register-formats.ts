import { addReader, addWriter } from '../../media/image/added-formats.ts'
import { addImageFormat, formatRow, isOwnImageFormat } from '../../media/image/formats.ts'
import { maxInputPixels } from '../../media/limits.ts'
import { addSignature } from '../../media/sniff/added.ts'
import { addImageType, typeById } from '../../media/type.ts'
import { growWithImageFormats } from '../registry.ts'
import { type FormatPicture, formatFault, type PictureFormat } from './format.ts'
import { maxFormatBytes, runFormat } from './format-codec.ts'

/** A format that this process uses. */
export interface LoadedFormat {
  /** The name in `image/convert --format`, and of its type. */
  id: string
  extensions: readonly string[]
  reads: boolean
  writes: boolean
}

/** Types that mediaproc reads without a decoder that can be replaced. */
const DRAWINGS = new Set(['svg', 'svgz'])

/** Formats that a plugin added, by plugin: the names that they have in this process. */
const owners = new Map<string, string>()

/** What a plugin may do with an id: all, or only write, under a name with its own. @throws Error */
function roleOf({ id, encode }: PictureFormat): 'format' | 'writer' {
  const owner = owners.get(id)
  const known = typeById(id)
  if (known && known.group !== 'image') throw new Error(`it has a picture format ${id}, which is a type of other files`)
  if (owner === undefined && !isOwnImageFormat(id) && !DRAWINGS.has(id)) return 'format'
  if (encode) return 'writer'
  const by = owner === undefined ? 'mediaproc itself' : `the plugin ${owner}`
  throw new Error(`it has a format ${id} without encode, which ${by} already reads`)
}

let reportFault: (message: string) => void = (message) => process.emitWarning(message)

/** Reports faults of the functions that recognise files, which cannot be errors of a file; by default as a warning of Node. */
export function onDetectFault(report: (message: string) => void): void {
  reportFault = report
}

/** Whether `detect` recognises content; a fault of it means no, and is reported once. */
function safeDetect({ id, detect }: PictureFormat, plugin: string): (head: Uint8Array, name?: string) => boolean {
  let isReported = false
  return (head, name) => {
    try {
      return detect(head, name) === true
    } catch (error) {
      if (!isReported)
        reportFault(`${whatOf(id, plugin)} cannot recognise files: ${(error as Error | undefined)?.message}`)
      isReported = true
      return false
    }
  }
}

const whatOf = (id: string, plugin: string): string => `The format ${id} of the plugin ${plugin}`

/** The samples of all frames, stacked vertically. */
function stacked({ pixels, frames = [] }: FormatPicture): Uint8Array | Uint16Array {
  if (frames.length === 0) return pixels
  const all = new Uint8Array(pixels.length * (frames.length + 1))
  for (const [index, frame] of [pixels, ...frames.map((one) => one.pixels)].entries())
    all.set(frame, index * pixels.length)
  return all
}

const DEFAULT_DELAY_MS = 100

function addOne(format: PictureFormat, plugin: string, path: string): LoadedFormat {
  const role = roleOf(format)
  const { id, extensions, mediaType, encode, holds = {} } = format
  const what = whatOf(id, plugin)
  const name = role === 'format' ? id : `${plugin}.${id}`
  const all = [id, ...extensions.filter((one) => one !== id)]
  if (role === 'format') {
    owners.set(id, plugin)
    const detect = safeDetect(format, plugin)
    const isKnown = typeById(id) !== undefined
    addImageType({ id, extensions: all, mime: mediaType })
    if (!isKnown) addSignature({ id, detect })
    addReader(id, {
      detect,
      async decode(bytes, check, stop) {
        const limits = { maxPixels: maxInputPixels(), maxBytes: maxFormatBytes() }
        const onSize = (size: unknown) => {
          const { width, height, frames } = size as { width: number; height: number; frames: number }
          check(width, height, frames)
        }
        const work = { kind: 'decode', id, what, bytes, limits } as const
        const answer = await runFormat(path, work, { ...stop, check: onSize })
        const { picture } = answer as { picture: FormatPicture }
        const { width, height, channels, bitDepth: depth, iccProfile, frames = [], delay } = picture
        const delays = [delay, ...frames.map((frame) => frame.delay)].map((one) => one ?? DEFAULT_DELAY_MS)
        return {
          ...{ width, height, channels, depth, data: stacked(picture) },
          ...(iccProfile && { icc: iccProfile }),
          ...(frames.length > 0 && { delays }),
        }
      },
    })
  }
  if (encode) {
    const { alpha = false, grey = false, bitDepth = 8, quality = false, maxSide } = holds
    const abilities = { extension: id, alpha, grey, depth: bitDepth, lossy: quality, ...(maxSide && { maxSide }) }
    const written = formatRow(name, 'plugin', { ...abilities, ...(quality && { defaultQuality: 80 }) })
    addImageFormat(written)
    addWriter({
      format: written,
      async encode({ width, height, channels, depth, data }, wanted) {
        const picture = { width, height, channels, bitDepth: depth as 8 | 16, pixels: data as Uint8Array }
        const work = { kind: 'encode', id, what, picture, ...(wanted !== undefined && { quality: wanted }) } as const
        return ((await runFormat(path, work)) as { bytes: Uint8Array }).bytes
      },
    })
  }
  return { id: name, extensions: all, reads: role === 'format', writes: encode !== undefined }
}

/**
 * Adds the formats of a plugin, for the rest of this process.
 * @param path absolute path of the plugin, from which threads load it
 * @throws Error with the first fault; then none of them is added
 */
export function addFormats(formats: readonly PictureFormat[], plugin: string, path: string): LoadedFormat[] {
  if (formats.length === 0) return []
  const [fault] = formats.flatMap((format) => formatFault(format) ?? [])
  if (fault !== undefined) throw new Error(`it ${fault}`)
  const ids = formats.map(({ id }) => id)
  const twice = ids.find((id, index) => ids.indexOf(id) !== index)
  if (twice !== undefined) throw new Error(`it has two formats ${twice}`)
  for (const format of formats) roleOf(format)
  const added = formats.map((format) => addOne(format, plugin, path))
  const written = added.filter(({ writes }) => writes).map(({ id }) => id)
  const withQuality = formats.flatMap(({ encode, holds }, index) =>
    encode && holds?.quality ? (added[index]?.id ?? []) : [],
  )
  growWithImageFormats(written, withQuality)
  return added
}
