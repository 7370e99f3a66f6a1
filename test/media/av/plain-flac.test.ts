import { describe, expect, test } from 'vitest'
import { probeMedia } from '../../../src/engines/ffmpeg/ffprobe.ts'
import { firstOf } from '../../../src/lists.ts'
import { readPlainFlac } from '../../../src/media/av/flac.ts'
import convertAudio from '../../../tools/audio/convert-audio.ts'
import { changedCopy, readDamaged, tone, withoutFfprobe } from '../../helpers/plain-media.ts'
import { run, temporaryFolder } from '../../helpers/tool.ts'

const folder = temporaryFolder()

const flac = (...options: string[]): Promise<string> => tone('tone.flac', 0.7331, ...options)

const replaced = (path: string, from: string, to: string): string =>
  changedCopy(path, (content) => {
    content.write(to, content.indexOf(from))
    return content
  })

describe('reads what ffprobe reads', () => {
  const texts = ['title=Ä', 'artist=B', 'album=C', 'comment=D', 'genre=17', 'date=2020', 'composer=F', 'copyright=G']
  const others = ['track=3/12', 'disc=1/2', 'album_artist=H', 'publisher=I', 'language=deu', 'Feel Ing=calm = good']
  const metadata = [...texts, ...others].flatMap((tag) => ['-metadata', tag])
  test.each<[string, string[]]>([
    ['44.1 kHz', []],
    ['stereo, 48 kHz', ['-ac', '2', '-ar', '48000']],
    ['24 bits, 96 kHz', ['-sample_fmt', 's32', '-ar', '96000']],
    ['tags', metadata],
    ['no encoder named', ['-fflags', '+bitexact']],
  ])('%s', async (_name, options) => {
    const path = await flac(...options)
    const read = readPlainFlac(path)
    expect(read).toEqual(await probeMedia(path))
    expect(read?.streams[0]?.sampleBits).toBe(options.includes('s32') ? 24 : 16)
  })
})

describe('is left to ffprobe', () => {
  test.each<[string, string[]]>([
    ['six channels', ['-ac', '6']],
    ['a rate of its own', ['-ar', '11127']],
    ['gains', ['-metadata', 'REPLAYGAIN_TRACK_GAIN=3 dB']],
    ['FLAC in Ogg', ['-c:a', 'flac', '-f', 'ogg']],
    [
      'a picture',
      '-f lavfi -i color=s=16x16:d=1 -map 0 -map 1 -frames:v 1 -c:v png -disposition:v attached_pic'.split(' '),
    ],
  ])('%s', async (_name, options) => {
    expect(readPlainFlac(await flac(...options))).toBeUndefined()
  })

  test('chapters, texts of the same name, and texts that are none', async () => {
    const path = await flac('-metadata', 'one text=A', '-metadata', 'two text=B', '-metadata', 'title=CD')
    expect(readPlainFlac(path)?.tags).toMatchObject({ 'one text': 'A', 'two text': 'B', title: 'CD' })
    expect(readPlainFlac(replaced(path, 'two text', 'One Text'))).toBeUndefined()
    expect(readPlainFlac(replaced(path, 'two text', 'CHAPTER0'))).toBeUndefined()
    expect(readPlainFlac(replaced(path, 'title=CD', 'title:CD'))).toBeUndefined()
  })

  test('an unknown length, and files that end in their metadata', async () => {
    const path = await flac()
    expect(
      readPlainFlac(
        changedCopy(path, (content) => {
          content.writeUInt32BE(0, 22)
          return content
        }),
      ),
    ).toBeUndefined()
    for (const length of [0, 3, 8, 30, 42, 60, 100])
      expect(
        readPlainFlac(changedCopy(path, (content) => content.subarray(0, length))),
        `${length} bytes`,
      ).toBeUndefined()
  })
})

test('a file with a changed byte is read as ffprobe reads it, or left to it', async () => {
  const path = await flac('-metadata', 'title=A', '-metadata', 'artist=B')
  expect(await readDamaged(path, 150, readPlainFlac, probeMedia)).toBeGreaterThan(5)
})

test('converting one FLAC into another starts no ffprobe', async () => {
  const source = await flac()
  const { paths } = await withoutFfprobe(() => run(convertAudio, folder, [source], { format: 'flac' }))
  expect(readPlainFlac(firstOf(paths))?.streams[0]).toMatchObject({ codec: 'flac', sampleBits: 16 })
})
