// Compares the results of fused and of single steps with a chain that is lossless in between: PSNR in dB.
import { execFileSync, spawnSync } from 'node:child_process'
import sharp from 'sharp'
import { imageSteps, stepByStep, videoByHand, videoSteps } from './pipeline-cases.mjs'

const run = ([command, ...args]) => execFileSync(command, args, { stdio: ['ignore', 'ignore', 'inherit'] })

/** PSNR of two pictures of one size, over all colour samples; Infinity if they are identical. */
async function pictureDistance(path, reference) {
  const [one, other] = await Promise.all(
    [path, reference].map((file) => sharp(file).removeAlpha().toColourspace('srgb').raw().toBuffer()),
  )
  let sum = 0
  for (let index = 0; index < one.length; index += 1) sum += (one[index] - other[index]) ** 2
  return 10 * Math.log10(255 ** 2 / (sum / one.length))
}

/** PSNR of two videos over all frames and planes, as ffmpeg's psnr filter averages it. */
function videoDistance(ffmpeg, path, reference) {
  const args = [
    '-i',
    path,
    '-i',
    reference,
    '-lavfi',
    '[0:v]setpts=N/30/TB[a];[1:v]setpts=N/30/TB[b];[a][b]psnr',
    '-f',
    'null',
    '-',
  ]
  const { stderr } = spawnSync(ffmpeg, args, { encoding: 'utf8' })
  return Number(/average:([\d.]+|inf)/.exec(stderr)?.[1].replace('inf', 'Infinity'))
}

/** Rows of the table: work, contender, PSNR against the lossless reference. */
export async function qualityRows({ program, ffmpeg, at }) {
  run([...program, 'run', at('five.json'), at('photo.jpg'), '-o', at('five.jpg')])
  run([...program, 'run', at('five-lossless.json'), at('photo.jpg'), '-o', at('five.png')])
  run(
    stepByStep(program, imageSteps('jpg', at), at('photo.jpg'), ['jpg', 'jpg', 'jpg', 'jpg'], at('five-steps.jpg'), at),
  )
  run([...program, 'run', at('four.json'), at('video.mp4'), '-o', at('four.mkv')])
  run(stepByStep(program, videoSteps, at('video.mp4'), ['mp4', 'mp4', 'mp4'], at('four-steps.mkv'), at))
  run(
    videoByHand(ffmpeg, at('video.mp4'), at('four-lossless.mkv'), [
      '-c:v',
      'libx264',
      '-qp',
      '0',
      '-pix_fmt',
      'yuv420p',
    ]),
  )
  return [
    ['quality: 5 image steps', 'mediaproc', await pictureDistance(at('five.jpg'), at('five.png'))],
    ['quality: 5 image steps', 'step by step', await pictureDistance(at('five-steps.jpg'), at('five.png'))],
    ['quality: 4 video steps', 'mediaproc', videoDistance(ffmpeg, at('four.mkv'), at('four-lossless.mkv'))],
    ['quality: 4 video steps', 'step by step', videoDistance(ffmpeg, at('four-steps.mkv'), at('four-lossless.mkv'))],
  ]
}
