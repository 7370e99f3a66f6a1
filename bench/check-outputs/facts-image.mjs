// Properties of a picture that a tool must preserve, read with sharp's header reader and exiftool.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import sharp from 'sharp'
import { json, output } from './program.mjs'

/** Groups of exiftool that describe the file instead of the picture; a gain map is a property of its own. */
const TECHNICAL =
  /^(?:System|File|ExifTool|Composite|ICC[-_].*|JFIF|MPF\d*|MPImage\d*|APP\d*|Adobe|PNG-pHYs|SourceFile|GIF|RIFF|QuickTime|Track\d*|Meta|Ducky|IFD1|PreviewIFD|InteropIFD|Photoshop|Jpeg2000|SVG|BMP|HTML|ZIP|PDF|Track.*|XMP-hdrgm|XMP-HDRGainMap)$/
/** Tags that another size, format or program invalidates, or that describe the pixel storage. */
const STORED =
  /Width|Height|Resolution|Orientation|Thumbnail|Preview|Compress|Strip|Bits|Sample|Photometric|Planar|YCbCr|ColorSpace|Offset|Software|HostComputer|CreatorTool|ExifVersion|Flashpix|ComponentsConf|PixelDim|MakerNote|Interop|Predictor|FillOrder|PageNumber|SubfileType|ICC|Palette|Transparen|Interlace|ColorType|Filter|BackgroundColor|Gamma|White|Chromatic|SRGB|Tile|Digest|XMPToolkit|InstanceID|DocumentID|History|Padding|Primary|ReferenceBlackWhite|HDRGain|Directory|MPF|Container|Item|CodedCharacterSet|ApplicationRecordVersion|EnvelopeRecord|ExtraSamples|T[46]Options|JPEGTables|XP|Rating|^BitDepth|^ProfileName|^(?:Red|Green|Blue)[XY]$|NativeDigest|Format$/

const described = (entries) =>
  Object.entries(entries ?? {}).filter(([key, value]) => {
    const [group, tag] = key.includes(':') ? key.split(':') : ['', key]
    // JPEG and GIF comments are in the file group; many only contain the program's name.
    if (tag === 'Comment') return value !== '' && !/^(?:Created (?:with|by)|CREATOR:|Optimized by)/i.test(value)
    return tag && !TECHNICAL.test(group) && !STORED.test(tag) && value !== '' && value !== undefined
  })

/** IPTC tags with their equivalents in XMP and EXIF (IPTC Photo Metadata Standard, mapping guidelines). */
const SAME_ELSEWHERE = {
  'By-line': 'Creator',
  'Caption-Abstract': 'Description',
  Keywords: 'Subject',
  ObjectName: 'Title',
  CopyrightNotice: 'Rights',
  City: 'City',
  'Province-State': 'State',
  'Country-PrimaryLocationName': 'Country',
  DigitalCreationDate: 'CreateDate',
  DigitalCreationTime: 'CreateDate',
}

/** Profiles within sRGB: converting to sRGB keeps their colours. */
const WITHIN_SRGB = /sRGB|^c2$|^uRGB|Generic RGB|gr[ae]y/i

export const FACTS = [
  {
    name: 'frames',
    words: /frame|animat|page|picture/i,
    // Encoders merge identical frames and extend the duration accordingly (see changes).
    lost: (a, b) => a.count > b.count && (b.count === 1 || a.ms === undefined || Math.abs(a.ms - (b.ms ?? 0)) > 20),
  },
  {
    name: 'changes',
    words: /frame|animat/i,
    // A frame may be merged with an identical previous one, but not with a different one.
    lost: (a, b) => {
      const gone = a && b ? a.seen.filter((at) => !b.starts.some((one) => Math.abs(one - at) <= 20)) : []
      return gone.length > 0 && gone.map((at) => `${at} ms`)
    },
  },
  { name: 'size', words: /size|small|pixels|scaled|large/i, lost: (a, b) => a !== undefined && a !== b },
  {
    name: 'alpha',
    words: /transparen|alpha|background/i,
    // If the number of frames differs, only the first ones are compared.
    lost: (a = [], b = []) =>
      a.slice(0, a.length === b.length ? a.length : 1).some(({ isTransparent, half }, page) => {
        const isOpaque = isTransparent && !b[page]?.isTransparent
        return isOpaque || (half >= HALF_TRANSPARENT && !(b[page]?.half >= HALF_TRANSPARENT / 5))
      }),
  },
  { name: 'depth', words: /bit/i, lost: (a, b) => a > b },
  { name: 'profile', words: /profile|colour|sRGB/i, lost: (a, b) => a !== undefined && b === undefined },
  { name: 'gain map', words: /gain map/i, lost: (a, b) => a && !b },
  { name: 'cmyk', words: /CMYK|colour|sRGB/i, lost: (a, b) => a && !b },
  { name: 'density', words: /resolution|density|dpi/i, lost: (a, b) => a !== undefined && !isSameDensity(a, b) },
  { name: 'delays', words: /frame|delay|animat|duration/i, lost: (a, b) => Math.abs((a ?? 0) - (b ?? 0)) > 20 },
  { name: 'loop', words: /loop|repeat|frame|animat/i, lost: (a, b) => a !== undefined && b !== undefined && a !== b },
  {
    name: 'metadata',
    words: /metadata|EXIF|GPS|XMP|IPTC|tag|caption|text chunk|comment/i,
    lost: (a = [], b = []) => {
      const there = new Set(b)
      const gone = a.filter((tag) => !there.has(tag) && !there.has(SAME_ELSEWHERE[tag]))
      return gone.length > 0 && gone
    },
  },
]

/** Properties of a picture. If sharp cannot open it, those that exiftool reads; undefined without a size. */
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
    // A fully opaque channel has no meaning.
    alpha: hasAlpha ? await transparencyOf(path) : undefined,
    depth: bitsPerSample === 16 ? 16 : 8,
    profile: icc ? wideProfile(tags, space) : undefined,
    cmyk: space === 'cmyk',
    density: statedDensity(tags, isVector),
    delays: ms,
    changes: ms === undefined ? undefined : await changesOf(path, delay),
    'gain map': hasGainMap(tags),
    loop: isAnimation ? loop : undefined,
    metadata: namesOf(tags),
  }
}

function namesOf(tags) {
  const names = described(tags).map(([key]) => key.split(':').at(-1))
  // XMP stores the date and the time of IPTC in one property.
  const hasTime = / \d\d:\d\d/.test(tags?.['XMP-photoshop:DateCreated'] ?? '')
  return [...new Set([...names, ...(hasTime ? ['TimeCreated'] : [])])].sort()
}

async function factsByTags(path) {
  const tags = (await json('exiftool', '-json', '-G1', '-a', '-n', path))?.[0]
  const sizes = Object.entries(tags ?? {}).filter(([key]) => /:ImageWidth$|:ImageHeight$/.test(key))
  const [width, height] = ['ImageWidth', 'ImageHeight'].map((tag) => sizes.find(([key]) => key.endsWith(tag))?.[1])
  // The size of a PostScript drawing is in points.
  if (!width || !height || /\.eps$/i.test(path)) return undefined
  return {
    frames: { count: 1 },
    size: `${width}x${height}`,
    depth: 8,
    density: statedDensity(tags),
    metadata: namesOf(tags),
  }
}

/** Resolution in dpi that programs assume for a picture without one. */
const ASSUMED_DENSITY = 72

/** PNG and BMP store whole pixels per metre, so a rounded value is the same resolution. */
const isSameDensity = (a, b = ASSUMED_DENSITY) => Math.abs(a - b) <= Math.max(0.5, a * 0.005)

/** Resolution stated in the file, in dpi; undefined without a unit, because the values are then only proportions. */
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

/** Name of a profile with colours outside sRGB. CMYK inks are a property of their own. */
function wideProfile(tags, space) {
  const name = String(tags?.['ICC_Profile:ProfileDescription'] ?? 'unnamed')
  return space === 'cmyk' || WITHIN_SRGB.test(name) || tags?.['ICC-header:ColorSpaceData'] === 'GRAY' ? undefined : name
}

const hasGainMap = (tags) => Object.keys(tags ?? {}).some((key) => /^XMP-(?:hdrgm|HDRGainMap):/.test(key))

/** Minimum part of a picture at which semi-transparent areas are visible. */
const HALF_TRANSPARENT = 0.01

/** Transparency; for HEIC, whose pixels sharp cannot read, with libheif's own converter. */
async function transparencyOf(path) {
  const found = await alphaFacts(path).catch(() => undefined)
  if (found) return found
  const folder = mkdtempSync(join(tmpdir(), 'mediaproc-facts-'))
  try {
    const png = join(folder, 'pixels.png')
    await output('heif-convert', path, png)
    return await alphaFacts(png)
  } catch {
    return undefined
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** For each frame: whether a pixel is transparent, and the part where all 3 x 3 neighbours are semi-transparent. */
async function alphaFacts(path) {
  const alpha = sharp(path, { failOn: 'none', animated: true }).extractChannel('alpha').toColourspace('b-w')
  const { data, info } = await alpha.raw({ depth: 'uchar' }).toBuffer({ resolveWithObject: true })
  const { width, height, pageHeight = height } = info
  const frames = Array.from({ length: height / pageHeight }, (_, page) =>
    data.subarray(page * width * pageHeight, (page + 1) * width * pageHeight),
  )
  return frames.map((frame) => ({ isTransparent: frame.some((value) => value < 255), half: halfShare(frame, width) }))
}

function halfShare(alpha, width) {
  const isHalf = (at) => alpha[at] >= 16 && alpha[at] <= 239
  let half = 0
  for (let at = width + 1; at < alpha.length - width - 1; at += 1) {
    if (!isHalf(at)) continue
    const rows = [at - width, at, at + width]
    if (rows.every((middle) => isHalf(middle - 1) && isHalf(middle) && isHalf(middle + 1))) half += 1
  }
  return Math.round((half / alpha.length) * 1000) / 1000
}

/** Frames are compared at this size in pixels, which shows changes and hides noise. */
const THUMBNAIL = 32

/** Minimum visible change of one of these pixels, out of 255. */
const VISIBLE = 24

/** When the frames of an animation start, and when the picture changes, in ms. */
async function changesOf(path, delays) {
  const starts = delays.map((_, page) => delays.slice(0, page).reduce((sum, one) => sum + one, 0))
  let before
  const seen = []
  for (const [page, at] of starts.entries()) {
    const small = sharp(path, { page, failOn: 'none' }).ensureAlpha().resize(THUMBNAIL, THUMBNAIL, { fit: 'fill' })
    const now = await small.toColourspace('srgb').raw({ depth: 'uchar' }).toBuffer()
    if (before && now.some((value, index) => Math.abs(value - before[index]) >= VISIBLE)) seen.push(at)
    before = now
  }
  return { starts, seen }
}
