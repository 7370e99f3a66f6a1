import { readFileSync, writeFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { runFfmpeg } from '../../../src/engines/ffmpeg/ffmpeg.ts'
import { probeMedia } from '../../../src/engines/ffmpeg/ffprobe.ts'
import type { MediaInfo } from '../../../src/engines/ffmpeg/media-info.ts'
import { firstOf } from '../../../src/lists.ts'
import { readPlainMp3 } from '../../../src/media/av/mp3.ts'
import trimAudio from '../../../tools/audio/trim-audio.ts'
import { temporaryPath } from '../../helpers/av.ts'
import { changedCopy, readDamaged, tone, withoutFfprobe } from '../../helpers/plain-media.ts'
import { run, temporaryFolder } from '../../helpers/tool.ts'

const folder = temporaryFolder()

const mp3 = (...options: string[]): Promise<string> => tone('tone.mp3', 1.3, ...options)

/** What ffprobe reports, but for the name of the encoder, which only some builds report for the stream, and nothing uses. */
async function byFfprobe(path: string): Promise<MediaInfo> {
  const info = await probeMedia(path)
  for (const { tags } of info.streams) delete tags.encoder
  return info
}

describe('reads what ffprobe reads', () => {
  const texts = ['title=Ä', 'artist=B', 'album=C', 'comment=D', 'genre=Jazz', 'date=2020', 'composer=F', 'copyright=G']
  const others = ['track=3/12', 'disc=1/2', 'album_artist=H', 'publisher=I', 'language=deu', 'feeling=calm']
  const metadata = [...texts, ...others].flatMap((tag) => ['-metadata', tag])
  test.each<[string, string[]]>([
    ['44.1 kHz', []],
    ['stereo, 48 kHz', ['-ac', '2', '-ar', '48000']],
    ['two channels apart', ['-ac', '2', '-joint_stereo', '0']],
    ['32 kHz, 320 kbit/s', ['-ar', '32000', '-b:a', '320k']],
    ['MPEG-2, mono', ['-ar', '22050']],
    ['MPEG-2, stereo', ['-ar', '16000', '-ac', '2']],
    ['MPEG-2.5', ['-ar', '8000']],
    ['MPEG-2.5, stereo', ['-ar', '11025', '-ac', '2']],
    ['variable bit rate', ['-q:a', '2', '-ac', '2']],
    ['tags', metadata],
    ['tags of version 3', ['-id3v2_version', '3', '-metadata', 'title=A', '-metadata', 'artist=B']],
    ['no encoder named', ['-fflags', '+bitexact']],
    ['no tag', ['-fflags', '+bitexact', '-id3v2_version', '0']],
  ])('%s', async (_name, options) => {
    const path = await mp3(...options)
    expect(readPlainMp3(path)).toEqual(await byFfprobe(path))
  })
})

describe('is left to ffprobe', () => {
  test.each<[string, string[]]>([
    ['without a table', ['-write_xing', '0']],
    ['a tag at the end', ['-write_id3v1', '1', '-metadata', 'title=A']],
    ['texts in UTF-16', ['-id3v2_version', '3', '-metadata', 'title=Ä']],
    ['a genre by its number', ['-metadata', 'genre=17']],
    ['gains', ['-metadata', 'REPLAYGAIN_TRACK_GAIN=3 dB']],
    ['Layer II', ['-c:a', 'mp2', '-f', 'mp2']],
  ])('%s', async (_name, options) => {
    expect(readPlainMp3(await mp3(...options))).toBeUndefined()
  })

  test('a cover, and chapters', async () => {
    const picture = ['-f', 'lavfi', '-i', 'color=s=16x16:d=1', '-map', '0', '-map', '1', '-frames:v', '1']
    expect(readPlainMp3(await mp3(...picture))).toBeUndefined()
    const list = temporaryPath('chapters.txt')
    writeFileSync(list, ';FFMETADATA1\n[CHAPTER]\nTIMEBASE=1/1\nSTART=0\nEND=1\ntitle=A\n')
    const chapters = temporaryPath('chapters.mp3')
    await runFfmpeg(['-i', await mp3(), '-f', 'ffmetadata', '-i', list, '-map_chapters', '1', '-c', 'copy', chapters])
    expect((await probeMedia(chapters)).chapters).toBe(1)
    expect(readPlainMp3(chapters)).toBeUndefined()
  })

  test('what is cut off, longer than stated, or joined', async () => {
    const path = await mp3()
    expect(readPlainMp3(changedCopy(path, (content) => content.subarray(0, -1)))).toBeUndefined()
    expect(readPlainMp3(changedCopy(path, (content) => Buffer.concat([content, content])))).toBeUndefined()
    expect(readPlainMp3(changedCopy(path, (content) => content.subarray(0, 3)))).toBeUndefined()
    expect(readPlainMp3(changedCopy(path, () => Buffer.alloc(0)))).toBeUndefined()
  })

  test('texts of the same name, and those with the name of a frame', async () => {
    const path = await mp3('-metadata', 'one text=A', '-metadata', 'two text=B', '-metadata', 'long=C')
    expect((await byFfprobe(path)).tags).toMatchObject({ 'one text': 'A', 'two text': 'B', long: 'C' })
    const renamed = (from: string, to: string): string =>
      changedCopy(path, (content) => {
        content.write(to, content.indexOf(from))
        return content
      })
    expect(readPlainMp3(renamed('long', 'TIT2'))).toBeUndefined()
    expect((await probeMedia(renamed('long', 'TIT2'))).tags.title).toBe('C')
    expect(readPlainMp3(renamed('two text', 'One Text'))).toBeUndefined()
  })

  test('frames that do not follow one another', async () => {
    const path = await mp3('-fflags', '+bitexact', '-id3v2_version', '0')
    const second = readFileSync(path).indexOf(Buffer.from([0xff, 0xfb]), 4)
    expect(second).toBeGreaterThan(100)
    expect(readPlainMp3(changedCopy(path, (content) => content.fill(0, second, second + 2)))).toBeUndefined()
  })
})

test('a file with a changed byte is read as ffprobe reads it, or left to it', async () => {
  const path = await mp3('-metadata', 'title=A', '-metadata', 'artist=B')
  expect(await readDamaged(path, 300, readPlainMp3, byFfprobe)).toBeGreaterThan(10)
})

test('a part of an MP3 starts no ffprobe', async () => {
  const source = await mp3()
  const { paths } = await withoutFfprobe(() => run(trimAudio, folder, [source], { endS: 0.5 }))
  const info = readPlainMp3(firstOf(paths))
  expect(info?.streams[0]).toMatchObject({ codec: 'mp3', sampleRate: 44_100 })
  expect(info?.durationS).toBeGreaterThan(0.5)
})
