// Cost of verifying a finished file: the part of a job that checks whether its result is complete.
import { execFileSync } from 'node:child_process'
import sharp from 'sharp'
import { verifyStructure } from '../dist/src/media/verify/verify.js'

const CALLS = 2000

/** Milliseconds of one check, the median of many. */
function checkMs(path) {
  const times = []
  for (let call = 0; call < CALLS; call += 1) {
    const start = process.hrtime.bigint()
    verifyStructure(path, path, [])
    times.push(Number(process.hrtime.bigint() - start) / 1e6)
  }
  return times.sort((a, b) => a - b)[CALLS / 2]
}

/**
 * Rows of the table: work, contender, milliseconds. The resize is one of sharp alone in this process, for comparison.
 */
export async function verifyRows({ ffmpeg, at }) {
  const resize = () => sharp(at('photo.jpg')).resize(320).jpeg().toFile(at('checked.jpg'))
  await resize()
  const start = process.hrtime.bigint()
  await resize()
  const resizeMs = Number(process.hrtime.bigint() - start) / 1e6
  await sharp(at('checked.jpg')).png().toFile(at('checked.png'))
  execFileSync(ffmpeg, ['-v', 'error', '-y', '-i', at('video.mp4'), '-c', 'copy', at('checked.mkv')])
  return [
    ['check of a result: JPEG of a small resize', 'mediaproc', checkMs(at('checked.jpg'))],
    ['check of a result: JPEG of a small resize', 'the resize itself, bare sharp', resizeMs],
    ...['checked.png', 'video.mp4', 'checked.mkv', 'a.pdf'].map((name) => [
      `check of a result: ${name.split('.')[1].toUpperCase()}`,
      'mediaproc',
      checkMs(at(name)),
    ]),
  ]
}
