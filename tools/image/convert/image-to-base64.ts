import { printableName } from '../../../src/media/file.ts'
import { cutOffSentence } from '../../../src/media/image/decode/cut-off.ts'
import { imageError } from '../../../src/media/image/errors.ts'
import type { ImageFormatId } from '../../../src/media/image/formats.ts'
import { imageTool } from '../../../src/tool/image-tool.ts'
import { choice, integer, text } from '../../../src/tool/settings.ts'
import { invalidSettings } from '../../../src/tool/validate.ts'
import { type Embedded, embed } from './image-to-base64/base64.ts'

/** Limit for all images of one result, bytes: the result contains each three times and must fit into one string. */
const LARGEST_ANSWER = 64e6

/** The formats for each setting value; undefined keeps the image's own. */
const FORMATS: Readonly<Record<string, ImageFormatId | undefined>> = {
  original: undefined,
  jpeg: 'jpg',
  'image/jpeg': 'jpg',
  png: 'png',
  'image/png': 'png',
  webp: 'webp',
  'image/webp': 'webp',
  avif: 'avif',
  'image/avif': 'avif',
  jxl: 'jxl',
  'image/jxl': 'jxl',
}

export default imageTool({
  id: 'image-to-base64',
  summary: 'Encode images as Base64 text or data URIs',
  input: { files: 'many', min: 1, max: 1000, accept: ['image'] },
  settings: {
    format: choice(['data-uri', 'plain'], 'output: a data URI, or only Base64', { default: 'data-uri' }),
    mimeType: text('re-encode as this type', {
      label: 'MIME type',
      enum: ['image/jpeg', 'image/png', 'image/webp', 'image/avif', 'image/jxl'],
    }),
    outputFormat: choice(['original', 'jpeg', 'png', 'webp', 'avif', 'jxl'], 'the same, as a short name', {
      default: 'original',
      valueAliases: { jpg: 'jpeg' },
    }),
    quality: integer('for lossy types when re-encoding; 100 is best', { default: 80, min: 1, max: 100 }),
    maxWidth: integer('scale down to at most this width; 0 = no limit', { default: 0, min: 0, unit: 'px' }),
    maxHeight: integer('scale down to at most this height; 0 = no limit', { default: 0, min: 0, unit: 'px' }),
  },
  output: { kind: 'report' },
  examples: [
    { title: 'a drawing for a style sheet', inputs: ['logo.svg'] },
    { title: 'a small WebP', inputs: ['photo.jpg'], settings: { outputFormat: 'webp', maxWidth: 64, quality: 60 } },
  ],
  check({ mimeType, outputFormat }) {
    if (mimeType && outputFormat !== 'original' && FORMATS[mimeType] !== FORMATS[outputFormat])
      throw invalidSettings(`Expected mimeType and outputFormat to agree, got ${mimeType} and ${outputFormat}`)
  },
  async produce(pictures, { format, mimeType, outputFormat, quality, maxWidth, maxHeight }, context) {
    const options = {
      format: FORMATS[mimeType ?? outputFormat],
      quality,
      maxWidth: maxWidth || undefined,
      maxHeight: maxHeight || undefined,
    }
    const results: (Embedded & { data: string })[] = []
    const errors: { filename: string; error: string }[] = []
    let left = LARGEST_ANSWER
    for (const [index, { name, file }] of pictures.entries()) {
      context.signal.throwIfAborted()
      context.progress(index / pictures.length, 'encoding')
      try {
        const embedded = await embed(await file(), options, left)
        if (embedded.truncated) context.warn(cutOffSentence(name))
        left -= (embedded.encodedSize / 4) * 3
        results.push({ ...embedded, data: format === 'plain' ? embedded.base64 : embedded.dataUri })
      } catch (error) {
        context.signal.throwIfAborted()
        const known = imageError(error, name)
        // A feature missing on this machine is not the file's fault.
        if (known.exit === 3) throw known
        errors.push({ filename: name, error: known.message })
        const shown = printableName(name)
        context.warn(known.message.includes(shown) ? known.message : `${shown}: ${known.message}`)
      }
    }
    return { report: { results, errors }, lines: results.map(({ data }) => data) }
  },
})
