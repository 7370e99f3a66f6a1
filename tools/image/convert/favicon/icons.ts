import type { ImageFrame } from '../../../../src/media/image/frame.ts'
import { sharpColour } from '../../_shared/colour/colours.ts'

export interface PngIcon {
  name: string
  side: number
}

/** The PNG icons that browsers and phones request (catalogue: favicon). */
export const PNG_ICONS: readonly PngIcon[] = [
  { name: 'favicon-16x16.png', side: 16 },
  { name: 'favicon-32x32.png', side: 32 },
  { name: 'favicon-48x48.png', side: 48 },
  { name: 'apple-touch-icon.png', side: 180 },
  { name: 'android-chrome-192x192.png', side: 192 },
  { name: 'android-chrome-512x512.png', side: 512 },
]

/** Sizes of the images in favicon.ico. */
export const ICO_SIDES = [16, 32, 48, 256]

export interface IconOptions {
  padding: number
  borderRadius: number
  backgroundColor?: string | undefined
}

/** One icon: cropped to the inner square, placed on the background, padded, then with round corners. PNG bytes. */
export async function drawIcon(picture: ImageFrame, side: number, options: IconOptions): Promise<Buffer> {
  const { padding, borderRadius, backgroundColor } = options
  const background = sharpColour(backgroundColor ?? 'transparent')
  const edge = Math.round((side * padding) / 100)
  const inner = Math.max(1, side - 2 * edge)
  const cut = await picture.apply((image) => image.resize(inner, inner, { fit: 'cover' }), {
    size: { width: inner, height: inner },
  })
  const after = side - inner - edge
  const padded = await cut.apply(
    (image) => {
      const laid = backgroundColor ? image.flatten({ background }) : image.ensureAlpha()
      return laid.extend({ top: edge, left: edge, bottom: after, right: after, background })
    },
    { size: { width: side, height: side }, alpha: !backgroundColor },
  )
  let image = (await padded.pipeline()).toColourspace('srgb')
  if (borderRadius > 0) {
    const radius = (side * borderRadius) / 100
    const mask = `<svg xmlns="http://www.w3.org/2000/svg" width="${side}" height="${side}"><rect width="100%" height="100%" rx="${radius}" ry="${radius}"/></svg>`
    const drawn = await image.png({ compressionLevel: 0 }).toBuffer()
    const { openSharp } = await import('../../../../src/engines/sharp.ts')
    image = (await openSharp(drawn)).ensureAlpha().composite([{ input: Buffer.from(mask), blend: 'dest-in' }])
  }
  return image.png({ compressionLevel: 9 }).toBuffer()
}

/** The web app manifest, with the Android icons that were created. */
export function manifestOf(name: string, kept: readonly PngIcon[], themeColor: string): string {
  const icons = kept
    .filter((icon) => icon.name.startsWith('android-chrome'))
    .map(({ name: file, side }) => ({ src: `/${file}`, sizes: `${side}x${side}`, type: 'image/png' }))
  const manifest = {
    name,
    short_name: name,
    icons,
    theme_color: themeColor,
    background_color: themeColor,
    display: 'standalone',
  }
  return `${JSON.stringify(manifest, null, 2)}\n`
}

/** The tags for the head of a page. */
export function snippetOf(kept: readonly PngIcon[]): string {
  const links = kept
    .filter((icon) => icon.name.startsWith('favicon'))
    .map(({ name, side }) => `<link rel="icon" type="image/png" sizes="${side}x${side}" href="/${name}">`)
  if (kept.some((icon) => icon.name === 'apple-touch-icon.png'))
    links.push('<link rel="apple-touch-icon" sizes="180x180" href="/apple-touch-icon.png">')
  links.push('<link rel="manifest" href="/manifest.json">')
  return `${links.join('\n')}\n`
}
