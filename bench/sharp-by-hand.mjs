// The same work in a bare sharp script, as somebody would write it by hand: the rival of every picture benchmark.
import { availableParallelism } from 'node:os'
import { basename, join } from 'node:path'
import sharp from 'sharp'

const [job, ...args] = process.argv.slice(2)
const jobs = {
  resize: ([input, output]) =>
    sharp(input).autoOrient().resize(800).jpeg({ quality: 95, chromaSubsampling: '4:4:4' }).toFile(output),
  webp: ([input, output]) => sharp(input).autoOrient().webp({ quality: 80 }).toFile(output),
  avif: ([input, output]) => sharp(input).autoOrient().avif({ quality: 50, effort: 2 }).toFile(output),
  compress: ([input, output]) => sharp(input).autoOrient().jpeg({ quality: 80, mozjpeg: true }).toFile(output),
  /** All files of a list into a folder, so many at a time. */
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
