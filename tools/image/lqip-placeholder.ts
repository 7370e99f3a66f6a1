import { writeFile } from 'node:fs/promises'
import { decodeImage } from '../../src/media/image/decode.ts'
import { encodeToBuffer, formatOf } from '../../src/media/image/encode.ts'
import { imageError } from '../../src/media/image/errors.ts'
import type { ImageFrame } from '../../src/media/image/frame.ts'
import { checkResultSize } from '../../src/media/limits.ts'
import { suffixedName } from '../../src/media/naming.ts'
import { mimeOf } from '../../src/media/type.ts'
import { oneFile, tool } from '../../src/tool/contract.ts'
import { choice, integer, number } from '../../src/tool/settings.ts'
import { meanColour } from './lqip-placeholder/mean-colour.ts'

/** sharp draws no weaker blur; it would not be seen. */
const WEAKEST_BLUR = 0.3

type Strategy = 'blur' | 'pixelate' | 'solid'

async function placeholder(frame: ImageFrame, width: number, strategy: Strategy, blur: number): Promise<ImageFrame> {
  if (strategy === 'solid') {
    const colour = await meanColour(frame)
    const data = Buffer.alloc(width * width * 4, Buffer.from(colour))
    const square = await frame.withPixels({ data, width, height: width, channels: 4, pageHeight: width })
    return frame.hasAlpha ? square : square.apply((image) => image.removeAlpha(), { alpha: false })
  }
  const size = { width, height: Math.max(1, Math.round((frame.height * width) / frame.width)) }
  checkResultSize(size.width, size.height)
  const kernel = strategy === 'pixelate' ? 'nearest' : 'lanczos3'
  const small = await frame.apply((image) => image.resize({ ...size, fit: 'fill', kernel }), { size })
  if (strategy !== 'blur' || blur < WEAKEST_BLUR) return small
  return small.apply((image) => image.blur(blur))
}

export default tool({
  section: 'image',
  id: 'lqip-placeholder',
  summary: 'Make a tiny placeholder image with embed snippets',
  input: oneFile('image'),
  settings: {
    width: integer('width of the placeholder; its height follows', { default: 16, min: 4, max: 64, unit: 'px' }),
    blur: number('strategy blur: how much, 0 is not at all', { default: 2, min: 0, max: 20, unit: 'px' }),
    strategy: choice(['blur', 'pixelate', 'solid'], 'what it shows; solid is a square of the mean colour', {
      default: 'blur',
    }),
    format: choice(['webp', 'png', 'jpeg'], 'the format to write', { default: 'webp', valueAliases: { jpg: 'jpeg' } }),
    quality: integer('webp and jpeg: 100 is best', { default: 50, min: 1, max: 100 }),
  },
  output: { kind: 'file+report', type: { setting: 'format' } },
  naming: { suffix: 'lqip' },
  engines: ['sharp'],
  examples: [
    { title: 'a blurred preview to embed' },
    { title: 'coarse pixels', settings: { strategy: 'pixelate', width: 8, format: 'png' } },
    { title: 'the mean colour', settings: { strategy: 'solid' } },
  ],
  async run(job, { width, blur, strategy, format, quality }) {
    const file = job.inputs[0]!
    try {
      const frame = await decodeImage(file, { firstPage: true })
      const small = await placeholder(frame, width, strategy, blur)
      const target = { format: format === 'jpeg' ? ('jpg' as const) : format, quality, metadata: 'none' as const }
      const wished = small.withTarget(target)
      const bytes = await encodeToBuffer(wished)
      const { extension } = formatOf(wished)
      const name = suffixedName(file, 'lqip', extension)
      const path = await job.output(name)
      await writeFile(path, bytes)
      const mime = mimeOf(extension)
      const dataUri = `data:${mime};base64,${bytes.toString('base64')}`
      const report = {
        dataUri,
        width: small.width,
        height: small.height,
        bytes: bytes.length,
        strategy,
        html: `<img src="${dataUri}" width="${small.width}" height="${small.height}" alt="">`,
        css: `background-image: url("${dataUri}"); background-size: cover; background-position: center;`,
      }
      return { files: [{ path, name, mime }], report }
    } catch (error) {
      throw imageError(error, file.name)
    }
  },
})
