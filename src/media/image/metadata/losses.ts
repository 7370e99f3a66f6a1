import { printableName } from '../../file.ts'
import { wideGamutName } from '../encode/gamut.ts'
import type { ImageFormat } from '../formats.ts'
import type { ImageFrame, ImageTarget } from '../frame.ts'
import { lostSubjects, type MetadataKind } from './subjects.ts'

const KIND_NAMES: Record<MetadataKind, string> = { exif: 'EXIF', xmp: 'XMP', iptc: 'IPTC', text: 'text chunks' }

/** Metadata types requested to be dropped: `xmp` includes IPTC. */
const isAsked = (policy: ImageTarget['metadata'], kind: MetadataKind): boolean =>
  policy === 'none' || (policy !== undefined && kind !== 'text' && policy.drop.includes(kind === 'iptc' ? 'xmp' : kind))

const listed = (words: readonly string[], last: 'and' | 'or'): string =>
  words.length < 2 ? (words[0] ?? '') : `${words.slice(0, -1).join(', ')} ${last} ${words.at(-1)}`

/** The content of metadata types that the format does not support. */
function metadataLoss({ origin, target }: ImageFrame, format: ImageFormat): string | undefined {
  const missing = (Object.keys(KIND_NAMES) as MetadataKind[]).filter((kind) => !format.metadata.includes(kind))
  const { kinds, subjects } = lostSubjects(
    origin.metadata,
    new Set(missing.filter((kind) => !isAsked(target.metadata, kind))),
  )
  if (kinds.length === 0) return undefined
  const [names, about] = [
    listed(
      kinds.map((kind) => KIND_NAMES[kind]),
      'or',
    ),
    listed(subjects, 'and'),
  ]
  const are = subjects.length > 1 || subjects[0]?.endsWith('s') ? 'are' : 'is'
  return `${format.id.toUpperCase()} holds no ${names}: the ${about} of ${printableName(origin.name)} ${are} left out`
}

/** Wide-gamut colours lost in the conversion to sRGB. */
function gamutLoss(
  { origin, target, hasOwnProfile, space, pages }: ImageFrame,
  format: ImageFormat,
): string | undefined {
  const { icc, space: own } = origin.metadata
  // Profiles of animations are converted while decoding.
  if (pages > 1 || target.coloursAreComputed) return undefined
  const name = printableName(origin.name)
  // Removing a profile implies conversion to sRGB, but not that ink colours change.
  if (own === 'cmyk')
    return space === 'cmyk' && format.cmyk
      ? undefined
      : `${name} has colours for print (CMYK); the result is in sRGB, where some look different`
  if (target.metadata === 'none' || target.metadata?.drop.includes('icc')) return undefined
  if (!icc || (hasOwnProfile && format.profile && (space !== 'grey' || format.grey))) return undefined
  const wide = wideGamutName(icc)
  return wide && `${name} has the colours of ${wide}; the result is in sRGB, where the most vivid ones look duller`
}

/** Bit depth that the format supports and the result lacks. A palette is chosen to have less. */
function depthLoss({ origin, target, bits }: ImageFrame, format: ImageFormat): string | undefined {
  const isDeep = origin.metadata.depth !== undefined && origin.metadata.depth !== 'uchar'
  return isDeep && bits === 8 && format.depth === 16 && !target.paletteByQuality
    ? `${printableName(origin.name)} has 16 bits per channel; the result has 8`
    : undefined
}

/** Data of the input other than 8 bit sRGB pixels that an output lacks, as sentences for users. */
export function lossesOf(frame: ImageFrame, format: ImageFormat): string[] {
  return [metadataLoss, gamutLoss, depthLoss].flatMap((loss) => loss(frame, format) ?? [])
}
