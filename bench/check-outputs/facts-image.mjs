// What of a picture must survive a tool, read by sharp's header reader and exiftool.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import sharp from 'sharp'
import { json, output } from './program.mjs'

/** Groups of exiftool that describe the file, not the picture. */
const TECHNICAL =
  /^(?:System|File|ExifTool|Composite|ICC[-_].*|JFIF|MPF\d*|MPImage\d*|APP\d*|Adobe|PNG-pHYs|SourceFile|GIF|RIFF|QuickTime|Track\d*|Meta|Ducky|IFD1|PreviewIFD|InteropIFD|Photoshop|Jpeg2000|SVG|BMP|HTML|ZIP|PDF|Track.*)$/
/** Tags that another size, format or program makes untrue, or that describe how pixels were stored. */
const STORED =
  /Width|Height|Resolution|Orientation|Thumbnail|Preview|Compress|Strip|Bits|Sample|Photometric|Planar|YCbCr|ColorSpace|Offset|Software|CreatorTool|ExifVersion|Flashpix|ComponentsConf|PixelDim|MakerNote|Interop|Predictor|FillOrder|PageNumber|SubfileType|ICC|Palette|Transparen|Interlace|ColorType|Filter|BackgroundColor|Gamma|White|Chromatic|SRGB|Tile|Digest|XMPToolkit|InstanceID|DocumentID|History|Padding|Primary|ReferenceBlackWhite|HDRGain|Directory|MPF|Container|Item|CodedCharacterSet|ApplicationRecordVersion|EnvelopeRecord|ExtraSamples|T[46]Options|JPEGTables|XP|Rating|^BitDepth|^ProfileName|^(?:Red|Green|Blue)[XY]$|NativeDigest|Format$/

const described = (entries) =>
  Object.entries(entries ?? {}).filter(([key, value]) => {
    const [group, tag] = key.includes(':') ? key.split(':') : ['', key]
    // A comment of JPEG and GIF is in the group of the file; many only name the program.
    if (tag === 'Comment') return value !== '' && !/^(?:Created (?:with|by)|CREATOR:|Optimized by)/i.test(value)
    return tag && !TECHNICAL.test(group) && !STORED.test(tag) && value !== '' && value !== undefined
  })

/** Tags of IPTC and the XMP tags that say the same (IPTC Photo Metadata Standard, mapping guidelines). */
const SAME_IN_XMP = {
  'By-line': 'Creator',
  'Caption-Abstract': 'Description',
  Keywords: 'Subject',
  ObjectName: 'Title',
  CopyrightNotice: 'Rights',
  City: 'City',
  'Province-State': 'State',
  'Country-PrimaryLocationName': 'Country',
}

/** Profiles within sRGB: their colours are the same once they are written as sRGB. */
const WITHIN_SRGB = /sRGB|^c2$|^uRGB|Generic RGB|gr[ae]y/i

export const FACTS = [
  {
    name: 'frames',
    words: /frame|animat|page|picture/i,
    // Encoders join frames that became alike: then the rest are shown for as long.
    lost: (a, b) => a.count > b.count && (b.count === 1 || a.ms === undefined || Math.abs(a.ms - (b.ms ?? 0)) > 20),
  },
  { name: 'size', words: /size|small|pixels|scaled|large/i, lost: (a, b) => a !== undefined && a !== b },
  { name: 'alpha', words: /transparen|alpha|background/i, lost: (a, b) => a && !b },
  { name: 'depth', words: /bit/i, lost: (a, b) => a > b },
  { name: 'profile', words: /profile|colour|sRGB/i, lost: (a, b) => a !== undefined && b === undefined },
  { name: 'cmyk', words: /CMYK|colour|sRGB/i, lost: (a, b) => a && !b },
  { name: 'density', words: /resolution|density|dpi/i, lost: (a, b) => a !== undefined && !isSameDensity(a, b) },
  { name: 'delays', words: /frame|delay|animat|duration/i, lost: (a, b) => Math.abs((a ?? 0) - (b ?? 0)) > 20 },
  { name: 'loop', words: /loop|repeat|frame|animat/i, lost: (a, b) => a !== undefined && b !== undefined && a !== b },
  {
    name: 'metadata',
    words: /metadata|EXIF|GPS|XMP|IPTC|tag|caption|text chunk|comment/i,
    lost: (a = [], b = []) => {
      const there = new Set(b)
      const gone = a.filter((tag) => !there.has(tag) && !there.has(SAME_IN_XMP[tag]))
      return gone.length > 0 && gone
    },
  },
]

/** The facts of a picture; of what sharp cannot open those that exiftool reads, undefined where it reads no size. */
export async function factsOf(path) {
  const about = await sharp(path, { failOn: 'none', pages: -1 })
    .metadata()
    .catch(() => sharp(path, { failOn: 'none' }).metadata())
    .catch(() => undefined)
  if (!about) return factsByTags(path)
  const { width, pages = 1, pageHeight, format, space, hasAlpha, bitsPerSample, icc, delay, loop, autoOrient } = about
  const height = pageHeight ?? about.height
  const isTurned = autoOrient && autoOrient.width !== autoOrient.height && (about.orientation ?? 1) > 4
  const isVector = format === 'svg'
  const tags = (await json('exiftool', '-json', '-G1', '-a', '-n', path))?.[0]
  const isAnimation = pages > 1 && format !== 'tiff' && format !== 'heif'
  const ms = isAnimation && delay ? delay.reduce((sum, one) => sum + one, 0) : undefined
  return {
    frames: { count: pages, ms },
    size: isVector ? undefined : isTurned ? `${height}x${width}` : `${width}x${height}`,
    // A channel that is opaque everywhere says nothing.
    alpha: hasAlpha && !(await isOpaque(path)),
    depth: bitsPerSample === 16 ? 16 : 8,
    profile: icc ? wideProfile(tags, space) : undefined,
    cmyk: space === 'cmyk',
    density: statedDensity(tags, isVector),
    delays: ms,
    loop: isAnimation ? loop : undefined,
    metadata: namesOf(tags),
  }
}

function namesOf(tags) {
  const names = described(tags).map(([key]) => key.split(':').at(-1))
  // XMP has the date and the time of IPTC in one property.
  const hasTime = / \d\d:\d\d/.test(tags?.['XMP-photoshop:DateCreated'] ?? '')
  return [...new Set([...names, ...(hasTime ? ['TimeCreated'] : [])])].sort()
}

async function factsByTags(path) {
  const tags = (await json('exiftool', '-json', '-G1', '-a', '-n', path))?.[0]
  const sizes = Object.entries(tags ?? {}).filter(([key]) => /:ImageWidth$|:ImageHeight$/.test(key))
  const [width, height] = ['ImageWidth', 'ImageHeight'].map((tag) => sizes.find(([key]) => key.endsWith(tag))?.[1])
  // The size of a drawing in PostScript is in points.
  if (!width || !height || /\.eps$/i.test(path)) return undefined
  return {
    frames: { count: 1 },
    size: `${width}x${height}`,
    depth: 8,
    density: statedDensity(tags),
    metadata: namesOf(tags),
  }
}

/** Dots per inch that programs assume for a picture that states none. */
const ASSUMED_DENSITY = 72

/** PNG and BMP count whole pixels per metre, so that a rounded value is the same resolution. */
const isSameDensity = (a, b = ASSUMED_DENSITY) => Math.abs(a - b) <= Math.max(0.5, a * 0.005)

/** Dots per inch as the file states them; undefined without a unit of length, as only proportions are stated then. */
function statedDensity(tags = {}, isVector) {
  if (isVector) return undefined
  const perUnit = (value, unit) => (unit === 2 ? value : unit === 3 ? value * 2.54 : undefined)
  const jfif = { 1: 2, 2: 3 }[tags['JFIF:ResolutionUnit']]
  const perMetre = tags['PNG-pHYs:PixelUnits'] === 1 ? tags['PNG-pHYs:PixelsPerUnitX'] : tags['File:PixelsPerMeterX']
  const stated =
    perUnit(tags['IFD0:XResolution'], tags['IFD0:ResolutionUnit'] ?? 2) ??
    perUnit(tags['JFIF:XResolution'], jfif) ??
    (perMetre ? perMetre * 0.0254 : undefined)
  return stated > 1 ? stated : undefined
}

/** The name of a profile with colours outside sRGB. In CMYK the inks are a fact of their own. */
function wideProfile(tags, space) {
  const name = String(tags?.['ICC_Profile:ProfileDescription'] ?? 'unnamed')
  return space === 'cmyk' || WITHIN_SRGB.test(name) || tags?.['ICC-header:ColorSpaceData'] === 'GRAY' ? undefined : name
}

/** Whether every pixel is opaque; of HEIC, whose pixels sharp does not read, by libheif's own converter. */
async function isOpaque(path) {
  const stats = await sharp(path, { failOn: 'none' })
    .stats()
    .catch(() => undefined)
  if (stats) return stats.isOpaque
  const folder = mkdtempSync(join(tmpdir(), 'mediaproc-facts-'))
  try {
    const png = join(folder, 'pixels.png')
    await output('heif-convert', path, png)
    return (await sharp(png).stats()).isOpaque
  } catch {
    return true
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
