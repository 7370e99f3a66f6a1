import { qrMatrix } from '../../../src/engines/pictures/qrcode.ts'
import { openSharp, readMetadata } from '../../../src/engines/sharp.ts'
import { MediaprocError } from '../../../src/errors.ts'
import { decodeImage } from '../../../src/media/image/decode/decode.ts'
import { ImageFrame } from '../../../src/media/image/frame.ts'
import { checkImageSize } from '../../../src/media/limits.ts'
import { imageTool } from '../../../src/tool/image-tool.ts'
import { choice, color, integer, number, text } from '../../../src/tool/settings.ts'
import { invalidSettings } from '../../../src/tool/validate.ts'
import { openCodeReader } from '../_shared/codes/read-back.ts'
import { checkReading } from './qr-generate/check-reading.ts'
import { CORNER_STYLES, DOT_STYLES, drawQr, type QrLook } from './qr-generate/drawing.ts'
import { isInvisible } from './qr-generate/risks.ts'

/**
 * Side of the logo as a share of the code's side (catalogue): level H restores 30 % of the modules, this covers 5 %.
 */
const LOGO_SHARE = 0.22

async function logoOfDataUri(uri: string): Promise<ImageFrame> {
  const match = /^data:image\/(?:png|jpeg);base64,([a-z0-9+/=\s]+)$/i.exec(uri)
  if (!match) throw invalidSettings('Expected a PNG or JPEG picture as a base64 data URI for logoDataUri')
  const bytes = Buffer.from(match[1]!, 'base64')
  const { width, height } = await readMetadata(bytes)
  checkImageSize('The logo', width, height)
  const upright = (await openSharp(bytes)).autoOrient().toColourspace('srgb').png({ compressionLevel: 0 })
  return ImageFrame.fromPng(await upright.toBuffer(), 'logo')
}

export default imageTool({
  id: 'qr-generate',
  summary: 'Draw a QR code with colours, styles and optional logo',
  body: 'multipart|json',
  input: {
    files: 'none',
    min: 0,
    max: 0,
    accept: [],
    secondary: { logo: { required: false, what: 'an image for the centre', accept: ['image'] } },
  },
  settings: {
    data: text('content of the code: a URL or any text', {
      group: 'Content',
      label: 'Content',
      example: 'https://example.com',
      required: true,
      minLength: 1,
      maxLength: 2000,
      aliases: ['text'],
    }),
    size: number('side of the square', { group: 'Size', default: 400, min: 100, max: 10000, unit: 'px' }),
    margin: integer('quiet zone around the code; the standard requires 4', {
      group: 'Size',
      default: 2,
      min: 0,
      max: 20,
      unit: 'modules',
    }),
    colorDark: color('colour of the code', { group: 'Colours', default: '#000000', aliases: ['foreground'] }),
    colorLight: color('background colour', {
      group: 'Colours',
      default: '#ffffff',
      transparent: true,
      aliases: ['background'],
    }),
    errorCorrectionLevel: choice(
      ['L', 'M', 'Q', 'H'],
      'error correction: recovers L 7 %, M 15 %, Q 25 %, H 30 % damage',
      {
        group: 'Content',
        default: 'M',
        aliases: ['errorCorrection'],
      },
    ),
    dotStyle: choice(DOT_STYLES, 'shape of the modules', { group: 'Style', default: 'square' }),
    cornerStyle: choice(CORNER_STYLES, 'shape of the three finder frames', { group: 'Style', default: 'square' }),
    logoDataUri: text('an image for the centre, as a base64 data URI', { group: 'Style', maxLength: 700_000 }),
  },
  output: { kind: 'file', type: { is: 'png' }, name: 'qrcode' },
  engines: ['sharp', 'qrcode', 'zxing'],
  batch: false,
  examples: [
    { title: 'a URL', settings: { data: 'https://example.com' } },
    {
      title: 'round dots in a colour',
      settings: { data: 'https://example.com', dotStyle: 'dots', cornerStyle: 'extra-rounded', colorDark: '#1e3a8a' },
    },
    { title: 'with a logo', secondary: { logo: 'logo.svg' }, settings: { data: 'https://example.com' } },
  ],
  check({ colorDark, colorLight }) {
    if (isInvisible({ dark: colorDark, light: colorLight }))
      throw invalidSettings(
        `No reader can distinguish colorDark ${colorDark} from colorLight ${colorLight}`,
        'Choose a dark colour on a light one, such as #1e3a8a on #ffffff.',
      )
  },
  async produce(_none, settings, { secondary, signal, warn }) {
    const { size, margin, colorDark, colorLight, dotStyle, cornerStyle, logoDataUri } = settings
    // Its thread starts while the code is drawn.
    const reader = openCodeReader(signal)
    try {
      const logo = await readLogo(
        secondary.logo
          ? () => decodeImage(secondary.logo!, { firstPage: true, dpi: 300, warn })
          : logoDataUri
            ? () => logoOfDataUri(logoDataUri)
            : undefined,
      )
      const matrix = await qrMatrix(settings.data, logo ? 'H' : settings.errorCorrectionLevel)
      const side = Math.round(size)
      const look: QrLook = { side, margin, dark: colorDark, light: colorLight, dotStyle, cornerStyle }
      const layers = logo
        ? [{ input: await fitLogo(logo, Math.round(side * LOGO_SHARE)), gravity: 'centre' as const }]
        : []
      const redraw = async (by: QrLook, hasLogo: boolean): Promise<Buffer> =>
        (await openSharp(Buffer.from(drawQr(matrix, by))))
          .composite(hasLogo ? layers : [])
          .png()
          .toBuffer()
      const png = await redraw(look, true)
      const drawn = { png, data: settings.data, modules: matrix.side, look, hasLogo: logo !== undefined, redraw }
      for (const risk of await checkReading(reader, drawn)) warn(risk)
      const name = 'qrcode.png'
      return { name, frame: await ImageFrame.fromPng(png, name) }
    } finally {
      await reader.close()
    }
  },
})

async function readLogo(read: (() => Promise<ImageFrame>) | undefined): Promise<ImageFrame | undefined> {
  try {
    return await read?.()
  } catch (error) {
    if (error instanceof MediaprocError && error.code !== 'INVALID_FILE') throw error
    throw new MediaprocError('INVALID_FILE', 'The logo cannot be read as a picture', { cause: error })
  }
}

/** The logo in a square with transparent margins. */
async function fitLogo(logo: ImageFrame, side: number): Promise<Buffer> {
  const image = (await (await logo.toSrgb()).pipeline()).toColourspace('srgb').ensureAlpha()
  return image
    .resize(side, side, { fit: 'contain', background: { r: 0, g: 0, b: 0, alpha: 0 } })
    .png()
    .toBuffer()
}
