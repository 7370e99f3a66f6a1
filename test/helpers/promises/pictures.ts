import { writeFile } from 'node:fs/promises'
import sharp, { type Sharp } from 'sharp'
import { exifBlock, jpegWithExif } from '../exif.ts'
import {
  animation,
  fromSamples,
  jpegWithProfile,
  photo,
  plain,
  png16,
  pngWithProfile,
  ramp16,
  swappedProfile,
} from '../picture.ts'
import { sharedSample } from '../shared-samples.ts'

const [WIDTH, HEIGHT] = [96, 64]

const png = (image: Sharp): Promise<Buffer> => image.png().toBuffer()
const colours = (): Promise<Buffer> => png(fromSamples(photo(WIDTH, HEIGHT)))
const grey = (): Promise<Buffer> => png(fromSamples(photo(WIDTH, HEIGHT, 1)).toColourspace('b-w'))
/** Transparent at the top, opaque at the bottom. */
const clear = (): Promise<Buffer> => png(fromSamples(photo(WIDTH, HEIGHT, 4)))
const inks = (): Promise<Buffer> =>
  fromSamples(photo(WIDTH, HEIGHT)).toColourspace('cmyk').jpeg({ quality: 100 }).toBuffer()
const few = (): Promise<Buffer> => fromSamples(photo(WIDTH, HEIGHT)).png({ palette: true, colours: 16 }).toBuffer()
const stored = async (): Promise<Buffer> =>
  sharp(await colours())
    .jpeg({ quality: 95 })
    .toBuffer()

/** The inputs of the tests, by name; inputs that differ in one property have the same file name, so that answers can be compared. */
const RECIPES = {
  colour: ['photo.png', colours],
  grey: ['photo.png', grey],
  /** The grey one with three equal channels. */
  greyAsColour: ['photo.png', async () => png(sharp(await grey()).toColourspace('srgb'))],
  alpha: ['photo.png', clear],
  palette: ['photo.png', few],
  paletteAsColour: ['photo.png', async () => png(sharp(await few()))],
  deep: ['photo.png', () => png16(ramp16(WIDTH, HEIGHT, 3))],
  deepGrey: ['photo.png', () => png16(ramp16(WIDTH, HEIGHT))],
  profile: ['photo.png', async () => pngWithProfile(await colours(), swappedProfile())],
  /** Its colours, as sRGB. */
  profileAsColour: [
    'photo.png',
    async () => png(sharp(await pngWithProfile(await colours(), swappedProfile())).toColourspace('srgb')),
  ],
  profileJpeg: ['photo.jpg', async () => jpegWithProfile(await stored(), swappedProfile())],
  inks: ['photo.jpg', inks],
  inksAsColour: ['photo.png', async () => png(sharp(await inks()).toColourspace('srgb'))],
  /** A PNG, so that only the tag differs. */
  upright: [
    'photo.png',
    async () =>
      sharp(await colours())
        .withMetadata({ orientation: 1 })
        .png()
        .toBuffer(),
  ],
  turned: [
    'photo.png',
    async () =>
      sharp(await png(sharp(await colours()).rotate(-90)))
        .withMetadata({ orientation: 6 })
        .png()
        .toBuffer(),
  ],
  /** As a camera writes it. */
  camera: ['photo.jpg', async () => jpegWithExif(await stored(), exifBlock(6))],
  tiny: ['photo.png', () => png(plain(1, 1, '#c86432'))],
  jpeg: ['photo.jpg', stored],
  webp: [
    'photo.webp',
    async () =>
      sharp(await colours())
        .webp({ lossless: true })
        .toBuffer(),
  ],
} as const satisfies Record<string, readonly [string, () => Promise<Buffer>]>

export type PictureKind = keyof typeof RECIPES

export const nameOf = (kind: PictureKind): string => RECIPES[kind][0]

/** The path of an input; created once per run. */
export function picture(kind: PictureKind): Promise<string> {
  const [name, make] = RECIPES[kind]
  return sharedSample(['picture', kind], name, async (path) => writeFile(path, await make()))
}

/** No tool's default colours: WebP would merge two frames that become equal. */
export const FRAMES = ['#b02010', '#10b020', '#1020b0', '#b0b010']

/** The content in the middle of each of them. */
const SUBJECTS = ['#f0e8d0', '#d0f0e8', '#e8d0f0', '#f0f0f0']

/** An animation of four frames, each with some content. */
export function moving(extension: 'gif' | 'webp'): Promise<string> {
  return sharedSample(['moving', extension], `moving.${extension}`, (path) =>
    animation(path, FRAMES, { width: WIDTH, height: HEIGHT, subjects: SUBJECTS }),
  )
}

/** A drawing, for tools that accept nothing else. */
export function drawing(): Promise<string> {
  const text = `<svg xmlns="http://www.w3.org/2000/svg" width="${WIDTH}" height="${HEIGHT}"><rect width="50" height="40" fill="#c86432"/></svg>`
  return sharedSample(['drawing'], 'drawing.svg', (path) => writeFile(path, text))
}
