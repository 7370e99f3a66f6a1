import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { captureFfmpeg, inputArguments, runFfmpeg } from '../../src/engines/ffmpeg/ffmpeg.ts'
import { type MediaInfo, probeMedia } from '../../src/engines/ffmpeg/ffprobe.ts'
import { audioCodecFor, videoCodecFor } from '../../src/media/av/codecs.ts'
import { containerFor } from '../../src/media/av/containers.ts'
import type { AvSource } from '../../src/media/av/filters/graph.ts'
import { crc32 } from '../../src/media/crc32.ts'
import { afterEveryFile } from './clean-up.ts'
import { sharedSample } from './shared-samples.ts'

export interface VideoRecipe {
  seconds?: number
  width?: number
  height?: number
  fps?: number
  /** With audio: one mono sine of 440 Hz. */
  audio?: boolean
  /** Number of audio tracks, 440 Hz, 880 Hz …; overrides `audio`. */
  audioTracks?: number
  extension?: string
  /** Clockwise rotation that a player applies; mp4 and mov only. */
  rotation?: 0 | 90 | 180 | 270
}

export interface AudioRecipe {
  seconds?: number
  frequency?: number
  channels?: number
  sampleRate?: number
  extension?: string
}

let folder: string | undefined
let counter = 0

afterEveryFile(() => {
  if (folder) rmSync(folder, { recursive: true, force: true })
  folder = undefined
})

/** A path in a temporary folder that is removed after the test file. */
export function temporaryPath(name: string): string {
  folder ??= mkdtempSync(join(tmpdir(), 'mediaproc-av-'))
  return join(folder, `${++counter}-${name}`)
}

/** A test video (testsrc2 with a key frame each second); created once per recipe and test run. Returns its path. */
export function makeVideo(recipe: VideoRecipe = {}): Promise<string> {
  const { seconds = 2, width = 128, height = 96, fps = 25, audio = false, extension = 'mp4', rotation = 0 } = recipe
  const tracks = recipe.audioTracks ?? (audio ? 1 : 0)
  const values = [seconds, width, height, fps, tracks, extension, rotation]
  return sharedMedia(['video', ...values], `video.${extension}`, async (path) => {
    const upright = rotation === 0 ? path : temporaryPath(`upright.${extension}`)
    // testsrc2 itself rounds odd sizes down, and 4:2:0 has none.
    const even = (side: number) => side + (side % 2)
    const odd = width % 2 || height % 2 ? `,format=yuv444p,crop=${width}:${height}:0:0` : ''
    const sines = Array.from(
      { length: tracks },
      (_, track) => `sine=frequency=${440 * (track + 1)}:sample_rate=48000:d=${seconds}`,
    )
    await runFfmpeg([
      ...['-f', 'lavfi', '-i', `testsrc2=size=${even(width)}x${even(height)}:rate=${fps}:duration=${seconds}${odd}`],
      ...sines.flatMap((sine) => ['-f', 'lavfi', '-i', sine]),
      ...['-map', '0:v', ...sines.flatMap((_, track) => ['-map', `${track + 1}:a`])],
      ...videoCodecFor(extension, { preset: 'ultrafast' }),
      ...['-pix_fmt', odd ? 'yuv444p' : 'yuv420p', '-g', String(Math.round(fps))],
      ...(tracks > 0 ? audioCodecFor(extension) : []),
      ...['-f', containerFor(extension)!.muxer, upright],
    ])
    if (rotation === 0) return
    // ffmpeg counts this tag counter-clockwise when it writes it.
    await runFfmpeg(['-i', upright, '-map', '0', '-c', 'copy', '-metadata:s:v:0', `rotate=${360 - rotation}`, path])
  })
}

/** A sine as an audio file, the same in all channels; created once per recipe and test run. Returns its path. */
export function makeAudio(recipe: AudioRecipe = {}): Promise<string> {
  const { seconds = 2, frequency = 440, channels = 1, sampleRate = 44100, extension = 'wav' } = recipe
  const values = [seconds, frequency, channels, sampleRate]
  return sharedMedia(['audio', ...values], `audio.${extension}`, async (path) => {
    await runFfmpeg([
      ...['-f', 'lavfi', '-i', `sine=frequency=${frequency}:sample_rate=${sampleRate}:d=${seconds}`],
      ...['-ac', String(channels), ...audioCodecFor(extension)],
      ...['-f', containerFor(extension)!.muxer, path],
    ])
  })
}

/** A file as the source of a plan. */
export async function sourceOf(path: string): Promise<AvSource> {
  const name = path.split('/').at(-1)!
  return { path, name, extension: name.split('.').at(-1)!, info: await probeMedia(path) }
}

const measured = new Map<string, Promise<unknown>>()
afterEveryFile(() => measured.clear())

/** Caches measurements of a file by its state: tests check several properties of the same frame or samples. */
function once<Found>(what: readonly unknown[], path: string, measure: () => Promise<Found>): Promise<Found> {
  const { ino, size, mtimeNs } = statSync(path, { bigint: true })
  const key = [path, ino, size, mtimeNs, ...what].join('\n')
  const found = measured.get(key) ?? measure()
  measured.set(key, found)
  return found as Promise<Found>
}

/** What ffprobe reports for a file: the tests' second opinion. */
export async function infoOf(path: string): Promise<MediaInfo> {
  return once(['info', process.env.MEDIAPROC_FFPROBE], path, () => probeMedia(path))
}

const MAX_OUTPUT = 64 * 1024 * 1024

/** The npm build; undefined if npm has none. */
const packagedFfmpeg = ((): string | undefined => {
  try {
    return (createRequire(import.meta.url)('@ffmpeg-installer/ffmpeg') as { path: string }).path
  } catch {
    return undefined
  }
})()

/**
 * What ffmpeg decodes: with the npm build, which starts in 5 ms instead of Debian's 60 and did not write
 * the file; with the other one if it does not support the codec.
 */
function measuredBy(args: readonly string[]): Promise<Uint8Array> {
  if (packagedFfmpeg === undefined) return captureFfmpeg(args, { maxOutput: MAX_OUTPUT })
  const options = { encoding: 'buffer', maxBuffer: MAX_OUTPUT } as const
  return new Promise((resolve, reject) => {
    const line = ['-hide_banner', '-nostdin', '-v', 'error', '-xerror', ...args]
    execFile(packagedFfmpeg!, line, options, (error, stdout) => {
      if (!error) resolve(stdout)
      else captureFfmpeg(args, { maxOutput: MAX_OUTPUT }).then(resolve, reject)
    })
  })
}

/** A picture as ffmpeg writes it into a PAM file. */
interface Pixels {
  width: number
  pixels: Uint8Array
}

/** The pictures of a stream of PAM files. */
function pamPictures(stream: Uint8Array): Pixels[] {
  const bytes = Buffer.from(stream.buffer, stream.byteOffset, stream.length)
  const pictures: Pixels[] = []
  for (let at = 0; at < bytes.length; ) {
    const start = bytes.indexOf('ENDHDR\n', at) + 'ENDHDR\n'.length
    const header = bytes.toString('latin1', at, start)
    const [width, height, depth] = ['WIDTH', 'HEIGHT', 'DEPTH'].map((name) =>
      Number(new RegExp(`${name} (\\d+)`).exec(header)![1]),
    ) as [number, number, number]
    at = start + width * height * depth
    pictures.push({ width, pixels: new Uint8Array(bytes.subarray(start, at)) })
  }
  return pictures
}

const decoded = async (path: string, ...output: string[]): Promise<Pixels[]> => {
  const args = [...inputArguments(path), '-map', '0:v:0', ...output, '-c:v', 'pam', '-f', 'image2pipe', 'pipe:1']
  return pamPictures(await measuredBy(args))
}

/** One decoded frame (by its number) in a pixel format, rotation applied. */
async function oneFrame(path: string, frame: number, format: string): Promise<Pixels> {
  const [found] = await once(['frame', frame, format], path, () =>
    decoded(path, '-vf', `select=eq(n\\,${frame}),format=${format}`, '-frames:v', '1'),
  )
  if (!found) throw new Error(`${path} has no frame ${frame}`)
  return found
}

/** The grey values of every decoded frame, none repeated or dropped, rotation applied. */
export async function grayFrames(path: string): Promise<Uint8Array[]> {
  const all = await once(['frames'], path, () => decoded(path, '-vsync', 'passthrough', '-pix_fmt', 'gray'))
  return all.map(({ pixels }) => pixels)
}

/** The grey values of frames from a time on, found by decoding from the start. */
export async function grayFramesFrom(path: string, timeS: number, count: number): Promise<Uint8Array[]> {
  const output = ['-ss', timeS.toFixed(6), '-frames:v', String(count), '-vsync', 'passthrough', '-pix_fmt', 'gray']
  return (await once(['from', timeS, count], path, () => decoded(path, ...output))).map(({ pixels }) => pixels)
}

/** The grey values of one decoded frame (by its number), rotation applied. */
export async function grayFrame(path: string, frame = 0): Promise<Uint8Array> {
  return (await oneFrame(path, frame, 'gray')).pixels
}

/** The mean colour of one decoded frame, or of a rectangle `width:height:x:y` of it, as red, green and blue (0 to 255). */
export async function meanColour(path: string, { frame = 0, area }: { frame?: number; area?: string } = {}) {
  const { width, pixels } = await oneFrame(path, frame, 'rgb24')
  const height = pixels.length / 3 / width
  const [columns, rows, left, top] = area
    ? (area.split(':').map(Number) as [number, number, number, number])
    : [width, height, 0, 0]
  if (left < 0 || top < 0 || left + columns > width || top + rows > height)
    throw new Error(`${area} is not in ${width}x${height}`)
  const sums = [0, 0, 0]
  for (let y = top; y < top + rows; y += 1)
    for (let at = (y * width + left) * 3; at < (y * width + left + columns) * 3; at += 1) sums[at % 3]! += pixels[at]!
  return sums.map((sum) => Math.round(sum / (columns * rows)))
}

/** The times of all decoded frames, seconds. */
export async function frameTimes(path: string): Promise<number[]> {
  const args = [...inputArguments(path), '-map', '0:v:0', '-vf', 'showinfo', '-vsync', '0', '-f', 'null', '-']
  const said = await runFfmpeg(args, { logLevel: 'info' })
  return [...said.matchAll(/ pts_time:(-?[\d.]+)/g)].map(([, time]) => Number(time))
}

/** A video with plain frames: the colours of an ffmpeg graph, e.g. four quarters. Created once per graph. */
export function paintedVideo(graph: string, extension = 'mp4'): Promise<string> {
  return sharedMedia(['painted', graph], `painted.${extension}`, async (path) => {
    await runFfmpeg([
      '-f',
      'lavfi',
      '-i',
      graph,
      ...videoCodecFor(extension, { preset: 'ultrafast', quality: 8 }),
      path,
    ])
  })
}

/** All decoded frames of a video as one MD5, to prove that a copy is bit-identical. */
export function pictureHash(path: string): Promise<string> {
  return once(['hash'], path, async () => {
    const args = [...inputArguments(path), '-map', '0:v:0', '-f', 'md5', 'pipe:1']
    return Buffer.from(await measuredBy(args))
      .toString('utf8')
      .trim()
  })
}

/** The samples of the first audio stream, mono, -1 to 1. */
export async function samplesOf(path: string, sampleRate = 48000, stream = 0): Promise<Float32Array> {
  const output = await once(['samples', sampleRate, stream], path, () => {
    const format = ['-ac', '1', '-ar', String(sampleRate), '-f', 'f32le', 'pipe:1']
    return measuredBy([...inputArguments(path), '-map', `0:a:${stream}`, ...format])
  })
  return new Float32Array(output.buffer.slice(output.byteOffset, output.byteOffset + Math.floor(output.length / 4) * 4))
}

/** Root mean square of samples in dB of full scale; a full sine has -3. */
export function levelOf(samples: Float32Array): number {
  return 10 * Math.log10(samples.reduce((sum, value) => sum + value * value, 0) / samples.length)
}

/** Frequency of a sine by its zero crossings, Hz, in the middle half of the samples. */
export function frequencyOf(samples: Float32Array, sampleRate = 48000): number {
  const middle = samples.subarray(Math.floor(samples.length / 4), Math.floor((samples.length * 3) / 4))
  let rises = 0
  for (let at = 1; at < middle.length; at++) if (middle[at - 1]! < 0 && middle[at]! >= 0) rises++
  return (rises * sampleRate) / middle.length
}

/** Mean absolute difference of two grey pictures, 0 to 255. */
export function distance(one: Uint8Array, other: Uint8Array): number {
  if (one.length !== other.length) throw new Error(`sizes differ: ${one.length} and ${other.length}`)
  return one.reduce((sum, value, at) => sum + Math.abs(value - other[at]!), 0) / one.length
}

/** A media file that ffmpeg creates once per recipe and test run. It must not be changed. Returns its path. */
export function sharedMedia(
  recipe: readonly unknown[],
  name: string,
  make: (path: string) => Promise<void>,
): Promise<string> {
  // Tests may change the program meanwhile; its files differ. Two recipes have two names, so that they can be in
  // one folder together.
  const whole = [process.env.MEDIAPROC_FFMPEG, ...recipe, name]
  return sharedSample(whole, `${crc32(Buffer.from(JSON.stringify(whole)))}-${name}`, make)
}

/** Input extensions with the extension and codec in which audio tools write them. */
export const ENCODED_AUDIO = [
  ['mp3', 'mp3', 'mp3'],
  ['wav', 'wav', 'pcm_s16le'],
  ['ogg', 'ogg', 'vorbis'],
  ['opus', 'opus', 'opus'],
  ['flac', 'flac', 'flac'],
  ['m4a', 'm4a', 'aac'],
  ['aac', 'm4a', 'aac'],
  ['aiff', 'aiff', 'pcm_s16be'],
  ['wma', 'mp3', 'mp3'],
  ['ac3', 'mp3', 'mp3'],
] as const
