import { describe, expect, test } from 'vitest'
import { runFfmpeg } from '../../../src/engines/ffmpeg/ffmpeg.ts'
import { audioStreams, probeMedia } from '../../../src/engines/ffmpeg/ffprobe.ts'
import { emptyTracks } from '../../../src/media/av/input/empty-tracks.ts'
import { listKeyFrames } from '../../../src/media/av/input/key-frames.ts'
import { type ListedPacket, packetReader } from '../../../src/media/av/input/packet-list.ts'
import type { AvSource } from '../../../src/media/av/input/part.ts'
import trimVideo from '../../../tools/video/time/trim-video.ts'
import { infoOf, samplesOf, sharedMedia } from '../../helpers/av.ts'
import { run, temporaryFolder } from '../../helpers/tool.ts'

const folder = temporaryFolder()

/** 12 s of video with key frames each second, and audio by ffmpeg's graph and arguments. */
const film = (name: string, audio: string, ...codec: string[]): Promise<string> =>
  sharedMedia([name], name, async (path) => {
    const inputs = ['testsrc2=s=96x64:r=25:d=12', audio].flatMap((one) => ['-f', 'lavfi', '-i', one])
    await runFfmpeg([...inputs, '-c:v', 'libx264', '-preset', 'ultrafast', '-g', '25', ...codec, path])
  })

const sourceOf = async (path: string): Promise<AvSource> => ({
  ...{ path, name: path, extension: path.split('.').at(-1) ?? '' },
  info: await probeMedia(path),
})

/** Asks for the audio tracks without audio in a span, by the packets there and by a list of all packets. */
async function askBoth(path: string, startS: number, endS: number): Promise<number[][]> {
  const source = await sourceOf(path)
  const audios = audioStreams(source.info)
  const { played } = await listKeyFrames(source, AbortSignal.timeout(60_000))
  const isNotRead: AvSource = { ...source, path: '/nonexistent', played }
  const span = { startS, endS }
  return [await emptyTracks(source, audios, span), await emptyTracks(isNotRead, audios, span)]
}

describe('packets that are longer than the part', () => {
  const long = 'sine=d=12:r=8000'

  test.each([
    ['flac', 'flac-2s.mkv', ['-c:a', 'flac', '-frame_size', '16000']],
    ['pcm', 'pcm-2s.mkv', ['-af', 'asetnsamples=n=16000', '-c:a', 'pcm_s16le']],
    ['flac', 'flac-2s.mp4', ['-c:a', 'flac', '-strict', '-2', '-frame_size', '16000']],
  ])('%s in %s', async (_codec, file, codec) => {
    const path = await film(file, long, ...codec)
    expect(await askBoth(path, 6.3, 7.7)).toEqual([[], []])
    const clip = await run(trimVideo, folder, [path], { startS: 6.3, endS: 7.7, precise: true })
    expect(clip.warnings).toEqual([])
    expect(audioStreams(await infoOf(clip.paths[0] ?? ''))).toHaveLength(1)
    const samples = await samplesOf(clip.paths[0] ?? '')
    expect(Math.max(...samples.map(Math.abs))).toBeGreaterThan(0.05)
  })
})

test.each(['mkv', 'mp4', 'ts', 'mpg'])('%s: tracks with a gap', async (extension) => {
  const codec = extension === 'mpg' ? ['-c:v', 'mpeg2video', '-c:a', 'mp2'] : ['-c:a', 'aac']
  const path = await film(`gap12.${extension}`, "sine=d=12:r=48000,aselect='lt(t,1)+gte(t,10)'", ...codec)
  const [track] = audioStreams(await infoOf(path)).map(({ index }) => index)
  expect(await askBoth(path, 4, 6)).toEqual([[track], [track]])
  expect(await askBoth(path, 0.5, 6)).toEqual([[], []])
  expect(await askBoth(path, 4, 11)).toEqual([[], []])
})

test('a packet list: missing times are none, and chunks end anywhere', () => {
  const packets: ListedPacket[] = []
  const read = packetReader((packet) => packets.push(packet))
  const missing = '-9223372036854775808'
  const list = `#tb 0: 1/1000\n0, ${missing}, ${missing}, 40, 12, 0x1\n0, 40, 80, 40, 9, 0x2, F=0x0\n`
  for (const byte of Buffer.from(list)) read(Buffer.from([byte]))
  expect(packets.map(({ timeS, decodedS, durationS, isKey }) => [timeS, decodedS, durationS, isKey])).toEqual([
    [undefined, undefined, 0.04, true],
    [0.08, 0.04, 0.04, false],
  ])
})
