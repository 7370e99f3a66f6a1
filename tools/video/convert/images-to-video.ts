import { copyFile, mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { openRawPixels } from '../../../src/engines/sharp.ts'
import { videoCodecFor } from '../../../src/media/av/codecs.ts'
import { knownContainer } from '../../../src/media/av/containers.ts'
import { seconds } from '../../../src/media/av/range.ts'
import { writeMedia } from '../../../src/media/av/write.ts'
import { fitWithBars, layOver } from '../../../src/media/image/backgrounds.ts'
import type { ImageFrame } from '../../../src/media/image/frame.ts'
import { mimeOf } from '../../../src/media/type.ts'
import { imageTool } from '../../../src/tool/image-tool.ts'
import { choice, integer, number } from '../../../src/tool/settings.ts'
import { FITTED_COLOUR, type Size } from '../_shared/fit.ts'

const SIZES: Readonly<Record<'1080p' | '720p' | 'square', Size>> = {
  '1080p': { width: 1920, height: 1080 },
  '720p': { width: 1280, height: 720 },
  square: { width: 1080, height: 1080 },
}

const BLACK = '#000000'

/** Share of the work for decoding the images; the rest is for encoding the video. */
const DECODING_PART = 0.3

/** Writes an image fitted into the video: complete, centred, on black. */
async function writeSlide(frame: ImageFrame, { width, height }: Size, path: string): Promise<void> {
  const rgb = await frame.toRgb()
  const opaque = rgb.hasAlpha ? await rgb.apply((image) => layOver(image, BLACK, rgb)) : rgb
  const fitted = await opaque.apply((image) => fitWithBars(image, { width, height }, BLACK, opaque), {
    size: { width, height },
  })
  const pixels = await fitted.pixels({ alpha: 'drop' })
  await (await openRawPixels(pixels)).png({ compressionLevel: 1 }).toFile(path)
}

export default imageTool({
  section: 'video',
  id: 'images-to-video',
  summary: 'Make an MP4 slideshow from 2 to 60 images',
  input: { files: 'many', min: 2, max: 60, accept: ['image'] },
  settings: {
    secondsPerImage: number('duration of each image', { default: 2, min: 0.5, max: 10, unit: 's' }),
    resolution: choice(['1080p', '720p', 'square'], 'size of the video: 1920x1080, 1280x720 or 1080x1080', {
      default: '720p',
    }),
    fps: integer('frames per second', { default: 30, min: 10, max: 60 }),
  },
  output: { kind: 'file', type: { is: 'mp4' }, name: 'slideshow' },
  batch: false,
  heavy: true,
  timeoutS: 1800,
  engines: ['sharp', 'ffmpeg'],
  examples: [{ title: 'a slideshow', inputs: ['photo.jpg', 'portrait.jpg'], settings: { secondsPerImage: 0.5 } }],
  decode: () => ({ firstPage: true }),
  async produce(pictures, { secondsPerImage, resolution, fps }, context) {
    const folder = join(await context.scratch(), 'slides')
    await mkdir(folder)
    const slide = (number: number): string => join(folder, `${String(number).padStart(3, '0')}.png`)
    for (const [number, picture] of pictures.entries()) {
      context.progress((number / pictures.length) * DECODING_PART, 'reading')
      await picture.named(async () => writeSlide(await picture.open(), SIZES[resolution], slide(number)))
      context.signal.throwIfAborted()
    }
    // The last slide is repeated: without a next frame, older builds do not show it for its full time. The end is cut
    // off.
    await copyFile(slide(pictures.length - 1), slide(pictures.length))
    const name = 'slideshow.mp4'
    const path = await context.output(name)
    const lengthS = pictures.length * secondsPerImage
    // A tick is a millionth of an image's duration: every time is exact.
    const rate = `1000000/${Math.round(secondsPerImage * 1_000_000)}`
    await writeMedia(
      [
        // The slides are read once, in order, by name; a `%` in a folder name is not a pattern.
        ...['-framerate', rate, '-start_number', '0', '-i', '%03d.png'],
        ...['-vf', `${SLIDE_FILTERS},fps=${fps},trim=end=${seconds(lengthS)}`],
        ...[...videoCodecFor('mp4'), ...FITTED_COLOUR, ...knownContainer('mp4').options, '-f', 'mp4', `file:${path}`],
      ],
      {
        path,
        plans: [],
        warn: context.warn,
        cwd: folder,
        signal: context.signal,
        durationS: lengthS,
        onProgress: (fraction) => context.progress(DECODING_PART + fraction * (1 - DECODING_PART), 'encoding'),
        what: 'Encoding',
      },
    )
    return { files: [{ path, name, mime: mimeOf('mp4') }] }
  },
})

const SLIDE_FILTERS = 'scale=out_color_matrix=bt709:out_range=tv,format=yuv420p,setsar=1'
