import type { FileType } from '../../media/type.ts'
import { findEntry } from '../../tool/registry.ts'
import { allowedWords } from '../../tool/settings.ts'
import type { FactValue } from './facts.ts'
import type { Fix, FixStep } from './finding.ts'
import type { LimitName, SET_LIMITS } from './limits.ts'
import type { LimitValue, Rule } from './rule.ts'

/** What a fix is chosen by. */
export interface FixContext {
  type: FileType
  /** The name as the user gave it, for commands. */
  given: string
  actual: FactValue
  expected: LimitValue
  /** All limits of the rule: a fix must not break another one. */
  limits: Rule['limits']
}

type FindFix = (context: FixContext) => Fix | undefined

const one = (tool: string, settings: FixStep['settings'] = {}): Fix => ({ steps: [{ tool, settings }] })
const manual = (fix: Fix): Fix => ({ ...fix, isManual: true })

/** The loudness that the normalising tools aim for, LUFS. */
const NORMAL_LOUDNESS = -16
/** What the gain leaves below a limit, dB: encoding can raise peaks. */
const MARGIN_DB = 0.5

/** The first of the allowed formats that a tool can write. */
function writable(tool: string, expected: LimitValue): string | undefined {
  const row = findEntry(tool).settings.format
  const known = row ? allowedWords(row).map(String) : []
  return Array.isArray(expected) ? expected.find((format) => known.includes(format)) : undefined
}

const CONVERTERS = { image: 'image/convert', video: 'video/convert-video', audio: 'audio/convert-audio' } as const

const toFormat: FindFix = ({ type: { group }, expected }) => {
  if (group !== 'image' && group !== 'video' && group !== 'audio') return undefined
  const tool = CONVERTERS[group]
  const format = writable(tool, expected)
  return format === undefined ? undefined : one(tool, { format })
}

const byGroup =
  (fixes: Partial<Record<FileType['group'], FindFix>>): FindFix =>
  (context) =>
    fixes[context.type.group]?.(context)

const targetKb = (expected: LimitValue): number => Number(expected) / 1000

/** Containers by the codecs that the converters write into them. */
const CONTAINER_OF: Readonly<Record<string, string>> = {
  h264: 'mp4',
  vp9: 'webm',
  mp3: 'mp3',
  aac: 'm4a',
  flac: 'flac',
}

const isAllowed = (limits: Rule['limits'], format: string): boolean =>
  !Array.isArray(limits.formats) || limits.formats.includes(format)

const toCodec =
  (tool: string): FindFix =>
  ({ expected, limits }) => {
    const formats = Array.isArray(expected) ? expected.flatMap((codec: string) => CONTAINER_OF[codec] ?? []) : []
    const format = writable(
      tool,
      formats.filter((format) => isAllowed(limits, format)),
    )
    return format === undefined ? undefined : one(tool, { format })
  }

/** Lowers the level by a gain, or normalises if that meets the other limits. */
const softer: FindFix = ({ type: { group }, actual, expected, limits }) => {
  const most = limits.maxLoudness === undefined ? 0 : Number(limits.maxLoudness)
  const least = limits.minLoudness === undefined ? -70 : Number(limits.minLoudness)
  const isNormal = NORMAL_LOUDNESS <= most && NORMAL_LOUDNESS >= least
  if (group === 'video') return isNormal ? one('video/video-loudnorm') : undefined
  const gainDb = Number((Number(expected) - Number(actual) - MARGIN_DB).toFixed(1))
  return gainDb < 0 && gainDb >= -30 ? one('audio/volume-adjust', { gainDb }) : undefined
}

const louder: FindFix = ({ type: { group }, limits }) => {
  const most = limits.maxLoudness === undefined ? 0 : Number(limits.maxLoudness)
  if (NORMAL_LOUDNESS > most || NORMAL_LOUDNESS < Number(limits.minLoudness)) return undefined
  return one(group === 'video' ? 'video/video-loudnorm' : 'audio/normalize-audio')
}

/** Video encoders need even sides. */
const even = (side: LimitValue): number => Math.max(16, Math.floor(Number(side) / 2) * 2)

/** Only settings that remove something: `expected` is false. */
const removing =
  (fix: FindFix): FindFix =>
  (context) =>
    context.expected === false ? fix(context) : undefined

const adding =
  (fix: FindFix): FindFix =>
  (context) =>
    context.expected === true ? fix(context) : undefined

/** The name with the extension of its content. */
const renamed = ({ given, type }: FixContext): Fix | undefined => {
  const [extension] = type.extensions
  if (extension === undefined || given === '-' || /^https?:/i.test(given)) return undefined
  return { steps: [], isManual: true, command: ['mv', '--', given, given.replace(/\.[^./\\]*$/, `.${extension}`)] }
}

/** The fix of each limit that has one. */
const FIXES: Partial<Record<LimitName | keyof typeof SET_LIMITS, FindFix>> = {
  maxBytes: byGroup({
    image: ({ expected }) =>
      one('image/compress', { mode: 'targetSize', targetSizeKb: targetKb(expected), allowResize: true }),
    video: () => one('video/compress-video', { quality: 'strong' }),
    audio: () => undefined,
    pdf: ({ expected }) => one('pdf/compress-pdf', { mode: 'targetSize', targetSizeKb: targetKb(expected) }),
  }),
  formats: toFormat,
  extension: adding(renamed),
  maxWidth: byGroup({
    image: ({ expected }) => one('image/resize', { width: expected }),
    video: ({ expected }) => one('video/resize-video', { width: even(expected) }),
  }),
  maxHeight: byGroup({
    image: ({ expected }) => one('image/resize', { height: expected }),
    video: ({ expected }) => one('video/resize-video', { height: even(expected) }),
  }),
  colourSpaces: ({ expected, actual }) =>
    Array.isArray(expected) && expected.includes('srgb') && actual === 'rgb'
      ? one('image/strip-metadata', { stripAll: false, stripIcc: true })
      : undefined,
  alpha: removing(({ limits }) => (isAllowed(limits, 'jpg') ? one('image/convert', { format: 'jpg' }) : undefined)),
  exif: removing(() => one('image/strip-metadata', { stripAll: false, stripExif: true })),
  gps: removing(
    byGroup({
      image: () => one('image/strip-metadata', { stripAll: false, stripGps: true }),
      video: () => one('video/video-metadata'),
    }),
  ),
  maxDuration: byGroup({
    video: ({ expected }) => manual(one('video/trim-video', { endS: expected, precise: true })),
    audio: ({ expected }) => manual(one('audio/trim-audio', { endS: expected })),
  }),
  maxFrameRate: ({ expected }) => one('video/change-fps', { fps: expected }),
  videoCodecs: toCodec('video/convert-video'),
  audioCodecs: byGroup({ audio: toCodec('audio/convert-audio') }),
  maxLoudness: softer,
  maxTruePeak: softer,
  minLoudness: louder,
  maxPages: ({ expected }) => manual(one('pdf/extract-pages', { range: `1-${expected}` })),
  pdfa: adding(() => one('pdf/pdfa-convert')),
  encrypted: ({ expected }) =>
    manual(expected === false ? one('pdf/unlock-pdf', { password: '' }) : one('pdf/protect-pdf', { userPassword: '' })),
  fontsEmbedded: adding(() => one('pdf/pdfa-convert')),
}

/** The fix for a finding; undefined if no command fixes it. */
export function fixOf(limit: LimitName, context: FixContext): Fix | undefined {
  return FIXES[limit]?.(context)
}
