import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { ffmpegPath, runFfmpeg } from '../../../src/engines/ffmpeg/ffmpeg.ts'
import { probeMedia } from '../../../src/engines/ffmpeg/ffprobe.ts'
import { firstOf } from '../../../src/lists.ts'
import { readPlainMp4 } from '../../../src/media/av/mp4/movie.ts'
import { box } from '../../../src/media/boxes.ts'
import resizeVideo from '../../../tools/video/geometry/resize-video.ts'
import { sharedMedia } from '../../helpers/av.ts'
import { withoutFfprobe } from '../../helpers/plain-media.ts'
import { run, temporaryFolder } from '../../helpers/tool.ts'

const folder = temporaryFolder()

const VIDEO = ['-f', 'lavfi', '-i', 'testsrc2=s=64x48:r=25:d=1.3']
const SOUND = ['-f', 'lavfi', '-i', 'sine=d=1.3']
const H264 = ['-c:v', 'libx264', '-pix_fmt', 'yuv420p']
const FILM = [...VIDEO, ...SOUND, ...H264]
const PICTURE = [...VIDEO, ...H264]
/** Changes the video without the container. */
const METADATA = 'h264_metadata'

const made = (name: string, args: readonly string[]): Promise<string> =>
  sharedMedia([name, ...args], name, (path) => runFfmpeg([...args, path]).then(() => {}))

/** Builds of 2018 add up the tracks instead of reading the duration of the file, which is in milliseconds. */
const LENGTH_S = 0.0015

/** Compares with what ffprobe reports, but for the vendor of a track, which only some builds report and nothing uses. */
async function expectSameAsFfprobe(path: string): Promise<void> {
  const info = await probeMedia(path)
  for (const stream of info.streams) delete stream.tags.vendor_id
  const { durationS = 0, bitRate = 0 } = info
  const read = readPlainMp4(path)
  expect(read).toEqual({ ...info, durationS: expect.any(Number), bitRate: expect.any(Number) })
  expect(Math.abs((read?.durationS ?? 0) - durationS)).toBeLessThan(LENGTH_S)
  expect(Math.abs((read?.bitRate ?? 0) / bitRate - 1)).toBeLessThan((2 * LENGTH_S) / durationS)
}

/** The build of 2018 writes other durations of files, which its ffprobe does not read. */
const isPackaged = (await ffmpegPath()).includes('@ffmpeg-installer')

describe.skipIf(isPackaged)('reads what ffprobe reads (skipped: only the ffmpeg of npm is installed)', () => {
  const texts = ['title=Ä', 'artist=B', 'album=C', 'comment=D', 'genre=E', 'date=2020', 'composer=F', 'copyright=G']
  test.each<[string, string[], string?]>([
    ['video and audio', FILM],
    ['index first', [...FILM, '-movflags', '+faststart']],
    ['video alone', PICTURE],
    ['audio before video', [...FILM, '-map', '1', '-map', '0']],
    ['two audio tracks', [...FILM, '-map', '0', '-map', '1', '-map', '1']],
    ['audio that starts later', [...VIDEO, '-itsoffset', '0.4', ...SOUND, ...H264]],
    ['Main profile, six channels', [...FILM, '-profile:v', 'main', '-ac', '6']],
    ['Baseline profile, stereo', [...FILM, '-profile:v', 'baseline', '-ac', '2']],
    ['low sample rate', [...FILM, '-ar', '22050']],
    ['creation date', [...FILM, '-metadata', 'creation_time=2021-02-03T04:05:06Z']],
    ['languages', [...FILM, '-metadata:s:v', 'language=fra', '-metadata:s:a', 'language=deu']],
    ['not the default', [...FILM, '-map', '0', '-map', '1', '-map', '1', '-disposition:a:1', '0']],
    ['colours', [...PICTURE, '-color_primaries', 'bt709', '-color_trc', 'bt709', '-colorspace', 'bt709']],
    [
      'colours of television',
      [...PICTURE, ...['-color_primaries', 'smpte170m', '-color_trc', 'smpte170m', '-colorspace', 'smpte170m']],
    ],
    ['limited range', [...PICTURE, '-color_range', 'tv']],
    ['wide pixels', [...PICTURE, '-vf', 'setsar=4/3']],
    ['pixels of a rare shape', [...PICTURE, '-vf', 'setsar=7/5']],
    [
      'square pixels by the video alone',
      [...PICTURE, '-vf', 'setsar=0', '-bsf:v', `${METADATA}=sample_aspect_ratio=1/1`],
    ],
    ['square pixels by the container alone', [...PICTURE, '-bsf:v', `${METADATA}=sample_aspect_ratio=0/1`]],
    [
      'colours by the video alone',
      [...PICTURE, '-bsf:v', `${METADATA}=colour_primaries=1:transfer_characteristics=1:matrix_coefficients=1`],
    ],
    ['a cropped size', [...PICTURE, '-s', '66x50']],
    ['29.97 frames', [...PICTURE, '-r', '30000/1001']],
    ['a few frames', [...PICTURE, '-r', '24000/1001', '-frames:v', '5']],
    ['M4A', [...SOUND], 'm4a'],
    ['M4A of 8 kHz', [...SOUND, '-ar', '8000'], 'm4a'],
    ['M4A with tags', [...SOUND, ...texts.flatMap((text) => ['-metadata', text])], 'm4a'],
  ])('%s', async (_name, args, extension = 'mp4') => {
    const path = await made(`plain.${extension}`, args)
    await expectSameAsFfprobe(path)
  })

  test('a copied cut', async () => {
    const source = await made('keys.mp4', [...FILM, '-g', '5', '-bf', '2'])
    const cut = ['-ss', '0.5', '-i', source, '-map', '0', '-c', 'copy', '-avoid_negative_ts', 'make_zero']
    const path = await made('cut.mp4', cut)
    await expectSameAsFfprobe(path)
  })
})

describe('leaves to ffprobe', () => {
  test.each<[string, string[], string?]>([
    ['HEVC', [...VIDEO, '-c:v', 'libx265', '-x265-params', 'log-level=none']],
    ['MPEG-4', [...VIDEO, '-c:v', 'mpeg4']],
    ['4:4:4', [...VIDEO, '-c:v', 'libx264', '-pix_fmt', 'yuv444p']],
    ['10 bits', [...VIDEO, '-c:v', 'libx264', '-pix_fmt', 'yuv420p10le']],
    ['grey', [...VIDEO, '-c:v', 'libx264', '-pix_fmt', 'gray']],
    [
      'shapes of pixels that differ',
      [...PICTURE, '-vf', 'setsar=4/3', '-bsf:v', `${METADATA}=sample_aspect_ratio=1/1`],
    ],
    [
      'wide pixels by the video alone',
      [...PICTURE, '-vf', 'setsar=0', '-bsf:v', `${METADATA}=sample_aspect_ratio=4/3`],
    ],
    ['full range', [...PICTURE, '-color_range', 'pc']],
    ['fields', [...PICTURE, '-flags', '+ilme+ildct']],
    ['progressive video marked as fields', [...PICTURE, '-x264-params', 'fake-interlaced=1']],
    ['buffer parameters', [...PICTURE, '-x264-params', 'nal-hrd=vbr:vbv-maxrate=500:vbv-bufsize=500']],
    ['a variable rate', [...PICTURE, '-vf', "select='not(mod(n,3))+gt(n,20)'", '-vsync', 'vfr']],
    ['parameters in pictures', [...PICTURE, '-x264-params', 'repeat-headers=1', '-flags', '-global_header']],
    ['ALAC', [...SOUND, '-c:a', 'alac'], 'm4a'],
    ['AC-3', [...FILM, '-c:a', 'ac3']],
    ['fragments', [...PICTURE, '-movflags', '+frag_keyframe+empty_moov']],
    ['MOV', FILM, 'mov'],
    ['a track title', [...FILM, '-metadata:s:a', 'title=A']],
    ['a track number', [...SOUND, '-metadata', 'track=1'], 'm4a'],
    ['Matroska', FILM, 'mkv'],
    ['WAV', SOUND, 'wav'],
  ])('%s', async (_name, args, extension = 'mp4') => {
    const path = await made(`other.${extension}`, args)
    expect(readPlainMp4(path)).toBeUndefined()
  })

  test('more media data, more tracks, and an index of millions of boxes', async () => {
    const content = readFileSync(await made('first.mp4', [...FILM, '-movflags', '+faststart']))
    const path = join(folder, 'many.mp4')
    writeFileSync(path, Buffer.concat([content, box('mdat')]))
    expect(readPlainMp4(path)).toBeUndefined()
    const brands = content.subarray(0, content.readUInt32BE(0))
    const tracks = Buffer.concat(Array<Buffer>(2_000_000).fill(box('trak')))
    writeFileSync(path, Buffer.concat([brands, box('moov', tracks), box('mdat')]))
    expect(readPlainMp4(path)).toBeUndefined()
  })

  test('incomplete files', async () => {
    const path = await made('first.mp4', [...FILM, '-movflags', '+faststart'])
    const content = readFileSync(path)
    const cut = join(folder, 'cut.mp4')
    for (const length of [0, 4, 30, 200, content.length - 1]) {
      writeFileSync(cut, content.subarray(0, length))
      expect(readPlainMp4(cut), `${length} bytes`).toBeUndefined()
    }
  })

  test('a first picture that is not where the tables say, and samples outside of the file', async () => {
    const path = await made('first.mp4', [...FILM, '-movflags', '+faststart'])
    const changed = join(folder, 'changed.mp4')
    const change = (type: string, offset: number, value: number): void => {
      const content = readFileSync(path)
      content.writeUInt32BE(value, content.indexOf(type, 0, 'latin1') + offset)
      writeFileSync(changed, content)
    }
    const first = readFileSync(path).readUInt32BE(readFileSync(path).indexOf('stco', 0, 'latin1') + 12)
    change('stco', 12, first)
    expect(readPlainMp4(changed)).toBeDefined()
    for (const value of [first + 1, 8, 0xffff_ff00]) {
      change('stco', 12, value)
      expect(readPlainMp4(changed), `offset ${value}`).toBeUndefined()
    }
    change('stsz', 12, 0x7fff_ffff)
    expect(readPlainMp4(changed)).toBeUndefined()
    change('stsz', 16, 0x7fff_ffff)
    expect(readPlainMp4(changed)).toBeUndefined()
  })
})

test('no changed byte of the index is an error', async () => {
  const path = await made('short.mp4', [...FILM, '-t', '0.2', '-movflags', '+faststart'])
  const content = readFileSync(path)
  const changed = join(folder, 'changed.mp4')
  const end = content.indexOf('mdat', 0, 'latin1')
  expect(end).toBeGreaterThan(1000)
  for (let at = 0; at < end; at += 1) {
    const copy = Buffer.from(content)
    copy.writeUInt8(copy.readUInt8(at) ^ 0xff, at)
    writeFileSync(changed, copy)
    expect(() => readPlainMp4(changed), `byte ${at}`).not.toThrow()
  }
})

test('converting one MP4 into another starts no ffprobe', async () => {
  const source = await made('plain.mp4', FILM)
  const { paths } = await withoutFfprobe(() => run(resizeVideo, folder, [source], { width: 32 }))
  const [video] = readPlainMp4(firstOf(paths))?.streams ?? []
  expect(video).toMatchObject({ codec: 'h264', width: 32 })
})
