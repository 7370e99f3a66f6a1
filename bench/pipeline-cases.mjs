// Pipelines: fused steps, the same steps one by one, and hand-written code in one sharp program or ffmpeg command.
import { writeFileSync } from 'node:fs'
import { LOGO } from '../dist/src/generate/assets/sample-drawings.js'

const SHAPE = ['--width', '1600']
const CUT = { left: 100, top: 50, width: 1400, height: 1100 }

/**
 * Four steps and the format: resize, crop, logo, no metadata, `format`. Each with its tool and command line options.
 */
export const imageSteps = (format, at) => [
  ['image', 'resize', SHAPE],
  ['image', 'crop', Object.entries(CUT).flatMap(([name, value]) => [`--${name}`, String(value)])],
  ['image', 'watermark-image', ['--watermark', at('logo.svg'), '--opacity', '60']],
  ['image', 'strip-metadata', []],
  ['image', 'convert', ['--format', format, '--quality', '82']],
]

export const videoSteps = [
  ['video', 'trim-video', ['--start-s', '5', '--end-s', '25', '--precise']],
  ['video', 'resize-video', ['--width', '640']],
  ['video', 'mute-video', []],
  ['video', 'convert-video', ['--format', 'mkv']],
]

export function writePipelines(at) {
  writeFileSync(at('logo.svg'), LOGO)
  const image = (last) => [
    { 'image/resize': { width: 1600 } },
    { 'image/crop': CUT },
    { 'image/watermark-image': { watermark: 'logo.svg', opacity: 60 } },
    'image/strip-metadata',
    { 'image/convert': last },
  ]
  writeFileSync(at('five.json'), JSON.stringify(image({ format: 'jpg', quality: 82 })))
  writeFileSync(at('five-lossless.json'), JSON.stringify(image({ format: 'png' })))
  writeFileSync(
    at('four.json'),
    JSON.stringify([
      { 'video/trim-video': { startS: 5, endS: 25, precise: true } },
      { 'video/resize-video': { width: 640 } },
      'video/mute-video',
      { 'video/convert-video': { format: 'mkv' } },
    ]),
  )
}

const quote = (word) => `'${word.replaceAll("'", `'\\''`)}'`

/** A shell line that runs every step separately, each on the previous output. */
export function stepByStep(program, steps, input, extensions, output, at) {
  const lines = steps.map(([section, tool, options], index) => {
    const from = index === 0 ? input : at(`step-${index}.${extensions[index - 1]}`)
    const to = index === steps.length - 1 ? output : at(`step-${index + 1}.${extensions[index]}`)
    return [...program, section, tool, from, ...options, '-o', to].map(quote).join(' ')
  })
  return ['sh', '-c', lines.join(' && ')]
}

/** A single hand-written ffmpeg command for `videoSteps`, with the same encoder settings. */
export const videoByHand = (
  ffmpeg,
  input,
  output,
  codec = ['-c:v', 'libx264', '-crf', '23', '-preset', 'medium', '-pix_fmt', 'yuv420p'],
) => [
  ...[ffmpeg, '-y', '-v', 'error', '-ss', '5', '-to', '25', '-i', input, '-an', '-vf', 'scale=640:-2:flags=lanczos'],
  ...codec,
  output,
]

export const pipelineCases = ({ program, byHand, ffmpeg, at }) => ({
  'pipeline: 5 image steps': () => ({
    mediaproc: [...program, 'run', at('five.json'), at('photo.jpg'), '-o', at('five.jpg')],
    'step by step': stepByStep(
      program,
      imageSteps('jpg', at),
      at('photo.jpg'),
      ['jpg', 'jpg', 'jpg', 'jpg'],
      at('five-steps.jpg'),
      at,
    ),
    'bare sharp': [...byHand, 'five', at('photo.jpg'), at('logo.svg'), at('five-hand.jpg')],
  }),
  'pipeline: 4 video steps': () => ({
    mediaproc: [...program, 'run', at('four.json'), at('video.mp4'), '-o', at('four.mkv')],
    'step by step': stepByStep(program, videoSteps, at('video.mp4'), ['mp4', 'mp4', 'mp4'], at('four-steps.mkv'), at),
    'ffmpeg by hand': videoByHand(ffmpeg, at('video.mp4'), at('four-hand.mkv')),
  }),
})
