import { resolve } from 'node:path'
import { MediaprocError } from '../../errors.ts'
import { runProgram } from '../process/process.ts'
import { ffmpegPath } from './ffmpeg.ts'
import { explainUnreadable, inputArguments } from './input.ts'
import {
  type Chapter,
  type Colour,
  displaySize,
  type MediaInfo,
  quarterTurn,
  type Stream,
  validRatio,
} from './media-info.ts'
import { clockSeconds } from './progress.ts'

/** Output limit for files with thousands of streams or tags, or 100,000 chapters, bytes. */
const MAX_ANSWER_BYTES = 64 * 1024 * 1024
const TYPES: Record<string, Stream['type']> = {
  Video: 'video',
  Audio: 'audio',
  Subtitle: 'subtitle',
  Attachment: 'attachment',
}
/** Codecs of cover art; builds before 4.2 do not mark it, but report its 90 kHz clock as the frame rate. */
const COVER_CODECS = new Set(['mjpeg', 'png', 'bmp', 'gif', 'webp', 'tiff'])
const CHANNEL_COUNTS: Record<string, number> = { mono: 1, stereo: 2, downmix: 2, quad: 4, hexagonal: 6, octagonal: 8 }

/**
 * Reads media information from the output of `ffmpeg -i`: for machines without ffprobe. Matches ffprobe as far as the
 * text allows; it has no frame counts, and durations only to hundredths of a second.
 * @throws MediaprocError INVALID_FILE, UNSUPPORTED_FILE_TYPE, ENGINE_UNAVAILABLE
 */
export async function probeWithBanner(
  path: string,
  sizeBytes: number,
  limits: { signal?: AbortSignal; timeoutMs?: number } = {},
): Promise<MediaInfo> {
  const program = await ffmpegPath('Reading the file')
  // Without an output, ffmpeg always exits with 1, after printing the information.
  const { stderr } = await runProgram(program, ['-hide_banner', '-nostdin', ...inputArguments(path)], {
    ...limits,
    what: 'ffmpeg',
    maxOutput: MAX_ANSWER_BYTES,
    allowExit: [0, 1],
  })
  // The file name is printed too and can contain line breaks: it must not be mistaken for a stream line.
  const info = readBanner(stderr.replaceAll(resolve(path), ''), sizeBytes)
  if (info) return info
  throw (
    explainUnreadable(stderr) ??
    new MediaprocError('INVALID_FILE', 'The file cannot be read as video or audio', {
      detail: stderr.trim().slice(-4096),
    })
  )
}

/** Parses the banner into a MediaInfo; undefined when it names no input. */
export function readBanner(text: string, sizeBytes: number): MediaInfo | undefined {
  const lines = text.split(/\r?\n/)
  const first = lines.findIndex((line) => line.startsWith('Input #0, '))
  const format = /^Input #0, (.*?), from '/.exec(lines[first] ?? '')?.[1]
  if (format === undefined) return undefined
  const info: MediaInfo = { format, durationS: undefined, sizeBytes, tags: {}, chapters: 0, streams: [] }
  const chapters: Chapter[] = []
  let tags = info.tags
  for (const line of lines.slice(first + 1)) {
    const duration = /^ {2}Duration: (\S+),(?:.*, )?(?: ?bitrate: (\d+) kb\/s)?/.exec(line)
    const startS = Number(/^ {2}Duration: \S+, start: (\d+\.\d+)/.exec(line)?.[1] ?? 0)
    const stream = /^ {2,4}Stream #0:(\d+)(?:\[\w+\])?(?:\((\w+)\))?: (\w+): (.*)$/.exec(line)
    const chapter = /^ {2,4}Chapter #0:\d+: start (-?[\d.]+), end (-?[\d.]+)/.exec(line)
    const title = /^ {6,8}title *: (.*)$/.exec(line)?.[1]
    const opened = info.streams.length === 0 ? chapters.at(-1) : undefined
    const tag = /^ {4,6}([^\s:][^:]{0,100}?) *: (.*)$/.exec(line)
    if (duration) {
      const endS = clockSeconds(duration[1]!) || undefined
      // Matroska declares its end time, independent of its start time.
      info.durationS = endS && format.startsWith('matroska') && startS < endS ? endS - startS : endS
      if (duration[2]) info.bitRate = Number(duration[2]) * 1000
    } else if (chapter) {
      chapters.push(readChapter(chapter))
      tags = {}
    } else if (opened && title !== undefined) {
      opened.title = title
    } else if (stream) {
      const [, index, language, type = '', facts = ''] = stream
      const read = readStream(Number(index), TYPES[type] ?? 'data', language, facts)
      tags = read.tags
      info.streams.push(read)
    } else if (tag) {
      tags[tag[1]!.toLowerCase()] = tag[2]!
      const latest = info.streams.at(-1)
      if (latest) applyTag(latest, tag[1]!.toLowerCase(), tag[2]!)
    }
  }
  return { ...info, chapters: chapters.length, ...(chapters.length > 0 && { chapterList: chapters }) }
}

function readChapter([, start, end]: RegExpExecArray): Chapter {
  const [startS, endS] = [Number(start), Number(end)]
  return { startS, ...(endS > startS && { endS }) }
}

/** Parses the lines below a stream's line: tags and side data. */
function applyTag(stream: Stream, key: string, value: string): void {
  if (key === 'title') stream.title = value
  if (key === 'duration') stream.durationS = clockSeconds(value) || undefined
  const turn = key === 'displaymatrix' ? /rotation of (-?[\d.]+) degrees/.exec(value)?.[1] : undefined
  if (turn === undefined || !stream.width || !stream.height) return
  stream.rotation = quarterTurn(-Number(turn))
  // The text does not say whether the picture is mirrored.
  stream.hasOtherMatrix = true
  Object.assign(stream, displaySize(stream.width, stream.height, stream.rotation, stream.sampleAspectRatio))
}

function readStream(index: number, type: Stream['type'], language: string | undefined, text: string): Stream {
  // `h264 (High) (avc1 / 0x31), yuv420p(tv, bt709), 64x48 [SAR 1:1 DAR 4:3], 25 fps`: split at commas outside brackets.
  const facts = text.match(/(?:\([^)]*\)|\[[^\]]*\]|[^,([]|[([])+/g)?.map((fact) => fact.trim()) ?? []
  const codec = /^(\w+)(?: \(([^)/]+)\))?/.exec(facts[0] ?? '')
  const stream: Stream = {
    index,
    type,
    codec: codec?.[1] === 'none' ? 'unknown' : (codec?.[1] ?? 'unknown'),
    ...(codec?.[2] && { profile: codec[2] }),
    rotation: 0,
    colour: {},
    ...(language && language !== 'und' && { language }),
    tags: {},
    isDefault: /\(default\)/.test(text),
    ...(/\(forced\)/.test(text) && { isForced: true }),
    isAttachedPicture: /\(attached pic\)/.test(text),
  }
  if (type === 'video') Object.assign(stream, videoFacts(stream, facts))
  if (type === 'audio') Object.assign(stream, audioFacts(facts))
  return stream
}

function videoFacts(stream: Stream, facts: string[]): Partial<Stream> {
  const sizeAt = facts.findIndex((fact) => /^\d+x\d+/.test(fact))
  const size = /^(\d+)x(\d+)(?:.*SAR (\d+:\d+))?/.exec(facts[sizeAt] ?? '')
  const pixels = /^(\w+)(?:\((.*)\))?/.exec(sizeAt > 1 ? (facts[1] ?? '') : '')
  const ratio = validRatio(size?.[3] ?? /SAR (\d+:\d+)/.exec(facts[sizeAt + 1] ?? '')?.[1])
  const rate = facts.map((fact) => /^([\d.]+)(k?) fps/.exec(fact)).find(Boolean)
  const isCover = stream.isAttachedPicture || (COVER_CODECS.has(stream.codec) && !rate && facts.includes('90k tbr'))
  const frameRate = rate && Number(rate[1]) > 0 ? exactRate(Number(rate[1]) * (rate[2] ? 1000 : 1)) : undefined
  const [width, height] = [Number(size?.[1] ?? 0), Number(size?.[2] ?? 0)]
  return {
    ...(width && height ? { width, height, ...displaySize(width, height, 0, ratio) } : {}),
    ...(frameRate && !isCover && { frameRate }),
    ...(pixels && { pixelFormat: pixels[1]! }),
    ...(ratio && { sampleAspectRatio: ratio }),
    colour: readColour(pixels?.[2] ?? ''),
    ...fieldsOf(pixels?.[2] ?? ''),
    isAttachedPicture: isCover,
  }
}

/** `progressive`, `top first`, or `top coded first (swapped)`, which shows the bottom field first. */
function fieldsOf(text: string): Pick<Stream, 'isInterlaced' | 'fieldOrder'> {
  const [, first, isSwapped] = /\b(top|bottom)( coded)? first\b/.exec(text) ?? []
  if (first) return { isInterlaced: true, fieldOrder: (first === 'top') === !isSwapped ? 'tff' : 'bff' }
  return /\bprogressive\b/.test(text) ? { fieldOrder: 'progressive' } : {}
}

/** Rates are printed with two decimals; 23.98, 29.97 and 59.94 are the NTSC fractions n × 1000/1001. */
function exactRate(printed: number): number {
  const ntsc = (Math.round(printed) * 1000) / 1001
  return Math.abs(printed - ntsc) < 0.006 ? ntsc : printed
}

/** `tv, bt709, progressive` or `tv, bt470bg/bt709/smpte170m` (matrix/primaries/transfer). */
function readColour(text: string): Colour {
  const colour: Colour = {}
  for (const fact of text.split(',').map((part) => part.trim())) {
    const known = (name: string | undefined) => (name && !/^(unknown|reserved)$/.test(name) ? name : undefined)
    if (fact === 'tv' || fact === 'pc') colour.range = fact
    else if (/^(bt|smpte|fcc|gbr|ycgco|unknown|film|iec|arib|linear|log)[\w-]*(\/|$)/.test(fact)) {
      const [matrix, primaries = matrix, transfer = matrix] = fact.split('/')
      if (known(primaries)) colour.primaries = primaries
      if (known(transfer)) colour.transfer = transfer
      if (known(matrix)) colour.matrix = matrix
    }
  }
  return colour
}

function audioFacts(facts: string[]): Partial<Stream> {
  const rateAt = facts.findIndex((fact) => /^\d+ Hz$/.test(fact))
  const layout = rateAt < 0 ? undefined : /^[^\s(]+(?:\([^)]*\))?/.exec(facts[rateAt + 1] ?? '')?.[0]
  const counted = /^(\d+) channels/.exec(facts[rateAt + 1] ?? '')?.[1]
  const summed = /^(\d)\.(\d)/.exec(layout ?? '')
  const channels = counted
    ? Number(counted)
    : (CHANNEL_COUNTS[layout ?? ''] ?? (summed ? Number(summed[1]) + Number(summed[2]) : undefined))
  // After the layout, as in `s32 (24 bit)`.
  const sampleFormat = rateAt < 0 ? undefined : /^(u8|s16|s32|s64|flt|dbl)p?\b/.exec(facts[rateAt + 2] ?? '')?.[0]
  return {
    ...(rateAt >= 0 && { sampleRate: Number.parseInt(facts[rateAt]!, 10) }),
    ...(channels && { channels }),
    ...(sampleFormat && { sampleFormat }),
    ...(layout && !counted && { channelLayout: layout }),
  }
}
