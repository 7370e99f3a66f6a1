import { encodeToBuffer } from '../../../src/media/image/encode/encode.ts'
import { formatOf } from '../../../src/media/image/encode/fit-to-format.ts'
import type { ImageFrame } from '../../../src/media/image/frame.ts'
import { checkResultSize } from '../../../src/media/limits.ts'
import { mimeOf } from '../../../src/media/type.ts'
import { imageTool } from '../../../src/tool/image-tool.ts'
import { choice, integer, number } from '../../../src/tool/settings.ts'
import { meanColour } from './lqip-placeholder/mean-colour.ts'

/** sharp's minimum blur; a weaker one would not be visible. */
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

export default imageTool({
  id: 'lqip-placeholder',
  summary: 'Make a tiny placeholder image with embed snippets',
  settings: {
    width: integer('width of the placeholder; its height follows', { default: 16, min: 4, max: 64, unit: 'px' }),
    strategy: choice(
      ['blur', 'pixelate', 'solid'],
      'content of the placeholder; solid is a square of the mean colour',
      {
        default: 'blur',
      },
    ),
    blur: number('strength of the blur; 0 is off', {
      default: 2,
      min: 0,
      max: 20,
      unit: 'px',
      when: { strategy: 'blur' },
    }),
    format: choice(['webp', 'png', 'jpeg'], 'output format', { default: 'webp', valueAliases: { jpg: 'jpeg' } }),
    quality: integer('100 is best', { default: 50, min: 1, max: 100, when: { format: ['webp', 'jpeg'] } }),
  },
  output: { kind: 'file+report', type: { setting: 'format' } },
  suffix: 'lqip',
  examples: [
    { title: 'a blurred preview to embed' },
    { title: 'coarse pixels', settings: { strategy: 'pixelate', width: 8, format: 'png' } },
    { title: 'the mean colour', settings: { strategy: 'solid' } },
  ],
  decode: () => ({ firstPage: true }),
  async produce([picture], { width, blur, strategy, format, quality }) {
    const small = await placeholder(await picture.open(), width, strategy, blur)
    const target = { format: format === 'jpeg' ? ('jpg' as const) : format, quality, metadata: 'none' as const }
    const encoded = small.withTarget(target)
    const data = await encodeToBuffer(encoded)
    const { extension: type } = formatOf(encoded)
    const dataUri = `data:${mimeOf(type)};base64,${data.toString('base64')}`
    const report = {
      dataUri,
      width: small.width,
      height: small.height,
      bytes: data.length,
      strategy,
      html: `<img src="${dataUri}" width="${small.width}" height="${small.height}" alt="">`,
      css: `background-image: url("${dataUri}"); background-size: cover; background-position: center;`,
    }
    return { files: [{ type, data }], report }
  },
})
