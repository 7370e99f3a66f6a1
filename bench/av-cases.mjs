// Video and audio tools compared with hand-written ffmpeg commands with the same settings.
import { execFileSync } from 'node:child_process'
import { linkSync, mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { has, once } from './measure.mjs'

const COPY = ['-movflags', '+faststart']
const h264 = (crf) => ['-c:v', 'libx264', '-crf', String(crf), '-preset', 'medium', '-pix_fmt', 'yuv420p']
const aac = (kbps) => ['-c:a', 'aac', '-b:a', `${kbps}k`]
const CLIPS = 50

/** Thirty seconds with audio, H.264 and AAC. */
export function makeVideo(ffmpeg, path, size) {
  const picture = ['-f', 'lavfi', '-i', `testsrc2=size=${size}:rate=30:duration=30`]
  const audio = ['-f', 'lavfi', '-i', 'sine=frequency=440:duration=30']
  const codecs = ['-c:v', 'libx264', '-preset', 'veryfast', '-pix_fmt', 'yuv420p', '-c:a', 'aac']
  execFileSync(ffmpeg, ['-y', '-v', 'error', ...picture, ...audio, ...codecs, path])
}

/** The work of video-to-gif in one command. */
const gifFilters =
  'fps=12,scale=480:-1:flags=lanczos,split[a][b];[a]palettegen=stats_mode=diff[p];' +
  '[b][p]paletteuse=dither=bayer:bayer_scale=5:diff_mode=rectangle'

/** A batch of short clips, all links to one file. */
export async function writeClips({ ffmpeg, at }) {
  mkdirSync(at('clips'))
  const picture = ['-f', 'lavfi', '-i', 'testsrc2=size=480x270:rate=25:duration=2']
  await once([ffmpeg, '-y', '-v', 'error', ...picture, '-c:v', 'libx264', '-preset', 'veryfast', at('short.mp4')])
  for (let index = 0; index < CLIPS; index += 1) linkSync(at('short.mp4'), join(at('clips'), `clip-${index}.mp4`))
}

export const avCases = ({ program, ffmpeg, at }) => {
  const hand = (...args) => [ffmpeg, '-y', '-v', 'error', ...args]
  const pair =
    (tool, options, input, output, ...command) =>
    () => ({
      mediaproc: [...program, ...tool, at(input), ...options, '-o', at(`ours.${output}`), '--force', '-q'],
      'ffmpeg by hand': hand(...command, at(`hand.${output}`)),
    })
  const clip = at('clip.mp4')
  return {
    'start alone': () => ({
      mediaproc: [...program, 'video', 'trim-video', '--help'],
      'ffmpeg -version': [ffmpeg, '-version'],
    }),
    'video trim, copied': pair(
      ['video', 'trim-video'],
      ['--start-s', '5', '--end-s', '20'],
      'clip.mp4',
      'mp4',
      ...['-ss', '5', '-to', '20', '-i', clip, '-map', '0', '-c', 'copy', '-avoid_negative_ts', 'make_zero', ...COPY],
    ),
    'video convert': pair(
      ['video', 'convert-video'],
      ['--format', 'mp4'],
      'clip.mp4',
      'mp4',
      ...['-i', clip, ...h264(23), ...aac(128), ...COPY],
    ),
    'video compress': pair(
      ['video', 'compress-video'],
      ['--quality', 'strong'],
      'clip.mp4',
      'mp4',
      ...['-i', clip, ...h264(33), ...aac(96), ...COPY],
    ),
    'video resize': pair(
      ['video', 'resize-video'],
      ['--width', '320'],
      'clip.mp4',
      'mp4',
      ...['-i', clip, '-vf', 'scale=320:-2:flags=lanczos', ...h264(20), '-c:a', 'copy', ...COPY],
    ),
    'video trim to the frame': pair(
      ['video', 'trim-video'],
      ['--start-s', '5', '--end-s', '20', '--precise'],
      'clip.mp4',
      'mp4',
      ...['-ss', '5', '-to', '20', '-i', clip, ...h264(20), ...aac(192), ...COPY],
    ),
    'video to GIF': pair(
      ['video', 'video-to-gif'],
      [],
      'clip.mp4',
      'gif',
      ...['-t', '5', '-i', clip, '-filter_complex', gifFilters],
    ),
    'audio loudness': () => ({
      mediaproc: [...program, 'audio', 'normalize-audio', at('clip.wav'), '-o', at('ours.wav'), '--force', '-q'],
      'ffmpeg by hand, measured first': [
        'sh',
        '-c',
        `"$0" -v error -i "$1" -af ebur128=peak=true -f null - && "$0" -y -v error -i "$1" -af volume=2dB "$2"`,
        ...[ffmpeg, at('clip.wav'), at('hand.wav')],
      ],
    }),
    'audio waveform': pair(
      ['audio', 'waveform-image'],
      [],
      'clip.wav',
      'png',
      ...['-i', at('clip.wav'), '-filter_complex', 'showwavespic=s=1024x256', '-frames:v', '1'],
    ),
    [`${CLIPS} clips`]: () => {
      const list = readdirSync(at('clips')).map((name) => join(at('clips'), name))
      writeFileSync(at('clips.txt'), list.join('\n'))
      for (const folder of ['clips-ours', 'clips-hand']) mkdirSync(at(folder), { recursive: true })
      const lanes = availableParallelism()
      const each = [...hand('-threads', '1', '-i', '{}'), ...h264(28), '-threads', '1', join(at('clips-hand'), '{}')]
      return {
        mediaproc: [
          ...[...program, 'video', 'compress-video', `@${at('clips.txt')}`],
          ...['-d', at('clips-ours'), '--force', '-q'],
        ],
        [`ffmpeg by hand, ${lanes} at a time, a thread each`]: [
          ...['sh', '-c', `cd "$0" && ls | xargs -P "$1" -I{} ${each.map(quoted).join(' ')}`],
          ...[at('clips'), String(lanes)],
        ],
      }
    },
  }
}

const quoted = (text) => `'${text.replaceAll("'", `'\\''`)}'`

/** Size of a video's GIF and its similarity to the video (SSIM), compared with gifski if it is installed. */
export async function gifRows({ program, ffmpeg, at }) {
  const video = at('clip.mp4')
  const gifs = { mediaproc: at('quality.gif') }
  await once([...program, 'video', 'video-to-gif', video, '-o', gifs.mediaproc, '--force', '-q'])
  if (has('gifski')) {
    gifs.gifski = at('gifski.gif')
    mkdirSync(at('frames'))
    const scaled = ['-t', '5', '-i', video, '-vf', 'fps=12,scale=480:-1:flags=lanczos', at('frames/%04d.png')]
    await once([ffmpeg, '-y', '-v', 'error', ...scaled])
    const frames = readdirSync(at('frames')).map((name) => join(at('frames'), name))
    await once(['gifski', '--quiet', '--fps', '12', '--width', '480', '-o', gifs.gifski, ...frames.toSorted()])
  }
  const rows = []
  for (const [who, gif] of Object.entries(gifs)) {
    const filter = '[0:v]fps=12,scale=480:-1:flags=lanczos,format=yuv420p[a];[1:v]fps=12,format=yuv420p[b];[a][b]ssim'
    const { said } = await once([
      ...[ffmpeg, '-v', 'info', '-nostats', '-t', '5', '-i', video, '-i', gif],
      ...['-filter_complex', filter, '-f', 'null', '-'],
    ])
    rows.push([who, statSync(gif).size, Number(/SSIM.*All:([\d.]+)/.exec(said)?.[1])])
  }
  return rows
}
