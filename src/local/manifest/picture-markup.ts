/** A picture of a set that browsers choose from. */
export interface PictureFile {
  /** Relative to the manifest, with slashes. */
  file: string
  type: string
  width?: number
  height?: number
}

interface Sized extends PictureFile {
  width: number
  height: number
}

/** Types that browsers show, the one that they should prefer first; the last ones are for all browsers. */
const WEB_TYPES = ['image/jxl', 'image/avif', 'image/webp', 'image/apng', 'image/gif', 'image/png', 'image/jpeg']

/** A path as a URL: spaces and commas would end a candidate of srcset. */
const urlOf = (file: string): string =>
  file
    .split('/')
    .map((part) => encodeURIComponent(part).replace(/'/g, '%27'))
    .join('/')

const isSized = (picture: PictureFile): picture is Sized =>
  picture.width !== undefined && picture.height !== undefined && WEB_TYPES.includes(picture.type)

/** Whether a picture is a smaller version of another, with sides rounded to whole pixels; not another crop. */
function hasShapeOf({ width, height }: Sized, largest: Sized): boolean {
  return (
    Math.abs((width * largest.height) / largest.width - height) <= 1 ||
    Math.abs((height * largest.width) / largest.height - width) <= 1
  )
}

const byWidth = (one: Sized, other: Sized): number => one.width - other.width

/** The pictures of one type, by width; the first of several with one width. */
function ofType(pictures: readonly Sized[], type: string): Sized[] {
  const own = pictures.filter((picture) => picture.type === type)
  const once = own.filter(({ width }, index) => own.findIndex((other) => other.width === width) === index)
  return once.sort(byWidth)
}

const srcsetOf = (pictures: readonly Sized[]): string =>
  pictures.map(({ file, width }) => `${urlOf(file)} ${width}w`).join(', ')

/** What a page needs to offer a picture in several widths or types. */
export interface PictureMarkup {
  /** The value of `srcset` by media type. */
  srcset: Record<string, string>
  /** A `<picture>` element with a `<source>` for each type, and `<img>` with the type that most browsers show. */
  picture: string
}

/**
 * The markup for versions of one picture: those with the shape of the largest one.
 * @returns undefined if there is nothing to choose from
 */
export function pictureMarkup(files: readonly PictureFile[]): PictureMarkup | undefined {
  const sized = files.filter(isSized)
  const [largest] = [...sized].sort((one, other) => byWidth(other, one))
  if (!largest) return undefined
  const versions = sized.filter((picture) => hasShapeOf(picture, largest))
  const types = WEB_TYPES.map((type) => [type, ofType(versions, type)] as const).filter(([, own]) => own.length > 0)
  const fallback = types.at(-1)?.[1]
  const shown = fallback?.at(-1)
  if (!fallback || !shown || types.reduce((sum, [, own]) => sum + own.length, 0) < 2) return undefined
  const sources = types.slice(0, -1).map(([type, own]) => `<source type="${type}" srcset="${srcsetOf(own)}">`)
  const choice = fallback.length > 1 ? ` srcset="${srcsetOf(fallback)}"` : ''
  const { file, width, height } = shown
  return {
    srcset: Object.fromEntries(types.map(([type, own]) => [type, srcsetOf(own)])),
    picture: `<picture>${sources.join('')}<img src="${urlOf(file)}"${choice} width="${width}" height="${height}" alt=""></picture>`,
  }
}
