// The same work as a hand-written sharp script: the baseline of every picture benchmark.
import { availableParallelism } from 'node:os'
import { basename, join } from 'node:path'
import sharp from 'sharp'

const [job, ...args] = process.argv.slice(2)
const jobs = {
  resize: ([input, output]) => sharp(input).autoOrient().resize(800).jpeg({ quality: 92 }).toFile(output),
  webp: ([input, output]) => sharp(input).autoOrient().webp({ quality: 80 }).toFile(output),
  avif: ([input, output]) => sharp(input).autoOrient().avif({ quality: 50, effort: 3, tune: 'ssim' }).toFile(output),
  compress: ([input, output]) => sharp(input).autoOrient().jpeg({ quality: 80, mozjpeg: true }).toFile(output),
  /** The work of the pipeline with five steps: resize, crop, logo, no metadata, JPEG. */
  async five([input, logo, output]) {
    const across = 350
    const drawn = await sharp(logo, { density: 300 })
      .resize(across)
      .ensureAlpha(1)
      .raw()
      .toBuffer({ resolveWithObject: true })
    for (let at = 3; at < drawn.data.length; at += 4) drawn.data[at] = Math.round(drawn.data[at] * 0.6)
    const { width, height } = drawn.info
    const raw = { width, height, channels: 4 }
    await sharp(input)
      .autoOrient()
      .resize(1600)
      .extract({ left: 100, top: 50, width: 1400, height: 1100 })
      .composite([{ input: drawn.data, raw, left: 1400 - width - 20, top: 1100 - height - 20 }])
      .jpeg({ quality: 82 })
      .toFile(output)
  },
  /** Converts all files of a list into a folder, several at a time. */
  async batch([folder, lanes, ...inputs]) {
    sharp.cache(false)
    let next = 0
    const lane = async () => {
      while (next < inputs.length) {
        const input = inputs[next++]
        await jobs.resize([input, join(folder, basename(input))])
      }
    }
    await Promise.all(Array.from({ length: Number(lanes) || availableParallelism() }, lane))
  },
}
await jobs[job](args)
