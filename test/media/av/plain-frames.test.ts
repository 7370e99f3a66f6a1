/** Frames and key frames from the index of an MP4, compared with what ffmpeg lists and finds. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test, vi } from 'vitest'
import { ffmpegPath, runFfmpeg, streamFfmpeg } from '../../../src/engines/ffmpeg/ffmpeg.ts'
import { type Packet, packetReader } from '../../../src/media/av/input/packet-list.ts'
import { eachPlainFrame, plainKeyFrame } from '../../../src/media/av/mp4/frames.ts'
import { readPlainMp4 } from '../../../src/media/av/mp4/movie.ts'
import trimVideo from '../../../tools/video/time/trim-video.ts'
import { frameTimes, sharedMedia, temporaryPath } from '../../helpers/av.ts'
import { run, temporaryFolder } from '../../helpers/tool.ts'

const folder = temporaryFolder()

const VIDEO = ['-f', 'lavfi', '-i', 'testsrc2=s=64x48:r=25:d=3']
const SOUND = ['-f', 'lavfi', '-i', 'sine=d=3']
const H264 = ['-c:v', 'libx264', '-pix_fmt', 'yuv420p', '-g', '20', '-keyint_min', '20']

const made = (name: string, args: readonly string[]): Promise<string> =>
  sharedMedia([name, ...args], name, (path) => runFfmpeg([...args, path]).then(() => {}))

/** The frames of each input, as ffmpeg reads them. */
async function framesByFfmpeg(inputs: readonly string[][]): Promise<Packet[][]> {
  const frames: Packet[][] = inputs.map(() => [])
  const reader = packetReader(({ position, timeS, decodedS, isKey }) =>
    frames[position]?.push({ timeS: timeS as number, decodedS: decodedS as number, isKey }),
  )
  const maps = inputs.flatMap((_, index) => ['-map', `${index}:v`])
  await streamFfmpeg(['-copyts', ...inputs.flat(), ...maps, '-c', 'copy', '-f', 'framecrc', 'pipe:1'], reader, {
    what: 'Listing',
  })
  return frames
}

function listed(path: string, index = 0): Packet[] | undefined {
  const frames: Packet[] = []
  return eachPlainFrame(path, index, (frame) => frames.push(frame)) ? frames : undefined
}

const rounded = (frames: readonly Packet[] | undefined) =>
  frames?.map(({ timeS, decodedS, isKey }) => [timeS.toFixed(5), decodedS.toFixed(5), isKey])

const SOURCES: [string, string[], number][] = [
  ['frames in order', [...VIDEO, ...H264, '-bf', '0'], 0],
  ['frames that depend on later ones', [...VIDEO, ...SOUND, ...H264, '-bf', '3'], 0],
  ['audio first', [...VIDEO, ...SOUND, ...H264, '-map', '1', '-map', '0'], 1],
  ['video that starts later', [...SOUND, '-itsoffset', '0.4', ...VIDEO, ...H264, '-map', '0', '-map', '1'], 1],
  ['groups that refer to each other', [...VIDEO, ...H264, '-x264-params', 'open-gop=1:bframes=3'], 0],
  ['key frames alone', [...VIDEO, ...H264, '-g', '1'], 0],
  ['one key frame', [...VIDEO, ...H264, '-g', '1000', '-r', '30000/1001'], 0],
]

describe.each(SOURCES)('%s', (_name, args, index) => {
  test('every frame has the times that ffmpeg reads', async () => {
    const path = await made('film.mp4', args)
    const [frames] = await framesByFfmpeg([['-i', path]])
    expect(frames?.length).toBeGreaterThan(70)
    expect(rounded(listed(path, index))).toEqual(rounded(frames))
  })

  test('a key frame that is certain is the one that ffmpeg finds', async () => {
    const path = await made('film.mp4', args)
    const times = Array.from({ length: 28 }, (_, number) => 0.05 + number * 0.1)
    const seeks = times.map((timeS) => ['-ss', String(timeS), '-t', '0.5', '-noaccurate_seek', '-i', path])
    const found = (await framesByFfmpeg(seeks)).flatMap(([first]) => first ?? [])
    expect(found.length).toBe(times.length)
    const certain = times.map((timeS) => plainKeyFrame(path, index, timeS))
    const byTables = certain.filter((key) => key !== undefined)
    expect(rounded(byTables)).toEqual(rounded(found.filter((_, at) => certain[at])))
    // Where every frame is a key frame, none is certain.
    expect(byTables.length).toBeGreaterThan(args.includes('1') ? -1 : 10)
  })
})

test('times near a key frame, and files that ffmpeg must read, are left to it', async () => {
  const path = await made('film.mp4', [...VIDEO, ...H264, '-bf', '0'])
  expect(plainKeyFrame(path, 0, 1.5)).toEqual({ timeS: 0.8, decodedS: 0.8, isKey: true })
  for (const timeS of [0.795, 0.8, 0.9, 1.6, 1.7]) expect(plainKeyFrame(path, 0, timeS), `${timeS} s`).toBeUndefined()
  expect(plainKeyFrame(path, 1, 1.5)).toBeUndefined()
  expect(listed(await made('film.mkv', [...VIDEO, ...H264]))).toBeUndefined()
  const cut = join(folder, 'cut.mp4')
  writeFileSync(cut, readFileSync(path).subarray(0, -1))
  expect(listed(cut)).toBeUndefined()
})

/** A copy with another number at an offset from the first box of a type. */
function changed(path: string, type: string, offset: number, value: number): string {
  const copy = join(folder, 'changed.mp4')
  const content = readFileSync(path)
  content.writeUInt32BE(value, content.indexOf(type, 0, 'latin1') + offset)
  writeFileSync(copy, content)
  return copy
}

test('tables that contradict each other are left to ffmpeg', async () => {
  const path = await made('film.mp4', [...VIDEO, ...H264, '-bf', '3'])
  // Number of runs, samples of the first run, its delay; number of key frames, and the first one.
  const changes: [string, number, number][] = [
    ['ctts', 8, 1],
    ['ctts', 12, 0xffff_ffff],
    ['ctts', 16, 0xffff_fff0],
    ['stss', 8, 2],
    ['stss', 12, 2],
  ]
  for (const [type, offset, value] of changes)
    expect(listed(changed(path, type, offset, value)), `${type} at ${offset}`).toBeUndefined()
})

test.each(['0', '3'])(
  'frames after the end of the edit list are left to ffmpeg, %s between others',
  async (between) => {
    const path = await made('film.mp4', [...VIDEO, ...H264, '-bf', between])
    const cut = changed(path, 'elst', 12, 1000)
    expect(readPlainMp4(cut)?.streams[0]?.durationS).toBe(1)
    expect(listed(cut)).toBeUndefined()
  },
)

test('a copied cut and one to the frame start ffmpeg once', async () => {
  const source = await made('film.mp4', [...VIDEO, ...SOUND, ...H264])
  const log = temporaryPath('starts.txt')
  const program = temporaryPath('ffmpeg')
  writeFileSync(log, '')
  writeFileSync(program, `#!/bin/sh\necho start >>'${log}'\nexec '${await ffmpegPath()}' "$@"\n`, { mode: 0o755 })
  vi.stubEnv('MEDIAPROC_FFMPEG', program)
  const cut = async (settings: object): Promise<{ starts: number; frames: number }> => {
    writeFileSync(log, '')
    const { paths } = await run(trimVideo, folder, [source], { startS: 1.3, endS: 2.6, ...settings })
    const starts = readFileSync(log, 'utf8').split('\n').length - 1
    return { starts, frames: (await frameTimes(paths[0] as string)).length }
  }
  const copied = await cut({})
  expect(copied.starts).toBe(1)
  // From the key frame at 0.8 s; muxers differ by a frame at the end.
  expect(Math.abs(copied.frames - 46.5)).toBeLessThan(2)
  const exact = await cut({ precise: true })
  expect(exact.starts).toBe(1)
  expect(Math.abs(exact.frames - 32.5)).toBeLessThan(1)
})
