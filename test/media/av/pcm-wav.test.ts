import { execFileSync } from 'node:child_process'
import { appendFileSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { runFfmpeg } from '../../../src/engines/ffmpeg/ffmpeg.ts'
import { probeMedia } from '../../../src/engines/ffmpeg/ffprobe.ts'
import { readPcmWav } from '../../../src/media/av/pcm-wav.ts'
import { readPlain } from '../../../src/media/av/plain.ts'
import { verifyOutput } from '../../../src/media/av/verify/verify.ts'
import normalizeAudio from '../../../tools/audio/normalize-audio.ts'
import { sharedMedia, temporaryPath } from '../../helpers/av.ts'
import { changedCopy, tone as toneOf } from '../../helpers/plain-media.ts'
import { run, temporaryFolder } from '../../helpers/tool.ts'

const folder = temporaryFolder()

const tone = (name: string, ...options: string[]): Promise<string> => toneOf(name, 0.7331, ...options)

describe('reads what ffprobe reads', () => {
  test.each([
    ['44.1 kHz', []],
    ['8 kHz', ['-ar', '8000']],
    ['stereo, 48 kHz', ['-ac', '2', '-ar', '48000']],
    ['without a tag', ['-fflags', '+bitexact', '-ar', '11025']],
  ])('%s', async (_name, options) => {
    const path = await tone('tone.wav', ...options)
    expect(readPcmWav(path)).toEqual(await probeMedia(path))
  })
})

describe('a WAV file of any origin', () => {
  test.each(['anoisesrc=d=3:a=0.9:seed=7', 'aevalsrc=0:d=2', 'sine=d=0.0003'])(
    'is read as well: %s',
    async (source) => {
      const path = await sharedMedia([source], 'sound.wav', (to) =>
        runFfmpeg(['-f', 'lavfi', '-i', source, '-ac', '2', to]).then(() => {}),
      )
      expect(readPcmWav(path)).toEqual(await probeMedia(path))
    },
  )

  test('with DTS in place of samples is left to ffprobe, also after silence', async () => {
    const dts = await sharedMedia(['dts'], 'sound.dts', (to) =>
      runFfmpeg(['-f', 'lavfi', '-i', 'sine=d=1:r=48000', '-ac', '2', '-strict', '-2', '-c:a', 'dca', to]).then(
        () => {},
      ),
    )
    const path = await tone('tone.wav', '-ac', '2', '-ar', '48000')
    for (const silence of [0, 4096, 65_536]) {
      const disguised = changedCopy(path, (content) => {
        const samples = content.subarray(content.indexOf('data') + 8)
        samples.fill(0, 0, silence)
        readFileSync(dts).copy(samples, silence)
        return content
      })
      if (silence === 0) expect((await probeMedia(disguised)).streams[0]!.codec).toBe('dts')
      expect(readPcmWav(disguised)).toBeUndefined()
    }
  })

  test.each([
    ['mp3', ['-id3v2_version', '0', '-write_xing', '0']],
    ['aac', ['-f', 'adts']],
    ['ac3', []],
    ['eac3', []],
  ])('with %s in place of samples is left to ffprobe', async (codec, options) => {
    const coded = await sharedMedia([codec, ...options], `sound.${codec}`, (to) =>
      runFfmpeg(['-f', 'lavfi', '-i', 'sine=d=4:r=48000', '-ac', '2', ...options, to]).then(() => {}),
    )
    const bytes = readFileSync(coded)
    const samples = bytes.subarray(0, bytes.length - (bytes.length % 4))
    const disguised = changedCopy(
      await tone('tone.wav', '-ac', '2', '-ar', '48000', '-fflags', '+bitexact'),
      (content) => {
        const file = Buffer.concat([content.subarray(0, 44), samples])
        file.writeUInt32LE(file.length - 8, 4)
        file.writeUInt32LE(samples.length, 40)
        return file
      },
    )
    expect((await probeMedia(disguised)).streams[0]!.codec).toBe(codec)
    expect(readPcmWav(disguised)).toBeUndefined()
  })

  test('is left if it is missing, a folder or a pipe', () => {
    const pipe = temporaryPath('pipe.wav')
    execFileSync('mkfifo', [pipe])
    for (const path of [temporaryPath('missing.wav'), folder, pipe]) expect(readPlain(path)).toBeUndefined()
  })
})

describe('leaves to ffprobe', () => {
  test.each([
    ['24 bits', ['-c:a', 'pcm_s24le']],
    ['float', ['-c:a', 'pcm_f32le']],
    ['8 bits', ['-c:a', 'pcm_u8']],
    ['A-law', ['-c:a', 'pcm_alaw']],
    ['six channels', ['-ac', '6']],
    ['96 kHz', ['-ar', '96000']],
    ['tags', ['-metadata', 'title=A tone']],
    ['a list with two tags', ['-metadata', 'artist=A', '-metadata', 'title=B']],
    ['broadcast metadata', ['-write_bext', '1', '-metadata', 'description=A']],
    ['RF64', ['-rf64', 'always']],
  ])('%s', async (_name, options) => {
    expect(readPcmWav(await tone('tone.wav', ...options))).toBeUndefined()
  })

  test('files that end too early or too late, and wrong sizes', async () => {
    const path = await tone('tone.wav')
    expect(readPcmWav(path)).toBeDefined()
    expect(readPcmWav(changedCopy(path, (content) => content.subarray(0, -2)))).toBeUndefined()
    expect(readPcmWav(changedCopy(path, (content) => Buffer.concat([content, Buffer.alloc(2)])))).toBeUndefined()
    for (const length of [0, 3, 12, 30, 44, 60])
      expect(readPcmWav(changedCopy(path, (content) => content.subarray(0, length))), `${length} bytes`).toBeUndefined()
    // The sizes of the file and of the format chunk, its tag, channels, alignment and bits, and the size of the list.
    for (const at of [4, 16, 20, 22, 32, 34, 40])
      expect(
        readPcmWav(
          changedCopy(path, (content) => {
            content[at]! ^= 4
            return content
          }),
        ),
        `byte ${at}`,
      ).toBeUndefined()
  })

  test('other files', async () => {
    for (const name of ['tone.flac', 'tone.aiff']) expect(readPcmWav(await tone(name))).toBeUndefined()
  })
})

test('a result that ends too early is found', async () => {
  const source = await tone('tone.wav')
  const { paths } = await run(normalizeAudio, folder, [source])
  const [path = ''] = paths
  expect(readPcmWav(path)?.streams).toEqual(readPcmWav(source)?.streams)
  const info = await probeMedia(source)
  const kept = { video: [], audio: [{ stream: info.streams[0]!, isCopy: false }], subtitle: [] }
  const plan = {
    ...{ source: { path: source, name: 'tone.wav', extension: 'wav', info }, extension: 'wav', kept },
    ...{
      added: { audio: 0, subtitle: 0, cover: 0 },
      dropped: new Set(),
      changes: new Set(),
      durationS: info.durationS,
    },
    ...{ isRetimed: false, losesChapters: false, isCut: false, isRoughCut: false, isWhole: true },
    container: { audio: ['pcm_s16le'], video: [] },
  } as unknown as Parameters<typeof verifyOutput>[1][number]
  const warnings: string[] = []
  const options = { written: {}, damage: false, durationS: info.durationS, warn: (text: string) => warnings.push(text) }
  await verifyOutput(path, [plan], options)
  expect(warnings).toEqual([])
  const cut = join(folder, 'cut.wav')
  writeFileSync(cut, readFileSync(path).subarray(0, -20_000))
  await verifyOutput(cut, [plan], options)
  expect(warnings.join()).toContain('long and not 0.73 s')
  writeFileSync(cut, '')
  await expect(verifyOutput(cut, [plan], options)).rejects.toThrow('nothing to write')
  appendFileSync(cut, readFileSync(path).subarray(0, 30))
  await expect(verifyOutput(cut, [plan], options)).rejects.toThrow('cannot be read')
})
