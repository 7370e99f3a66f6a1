/** Chapters: written, listed, and kept at their moments by tools that change times. */
import { writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { runFfmpeg } from '../../../src/engines/ffmpeg/ffmpeg.ts'
import audioSpeed from '../../../tools/audio/audio-speed.ts'
import reverseAudio from '../../../tools/audio/reverse-audio.ts'
import addChapters from '../../../tools/video/metadata/add-chapters.ts'
import videoMetadata from '../../../tools/video/metadata/video-metadata.ts'
import mergeVideos from '../../../tools/video/time/merge-videos.ts'
import reverseVideo from '../../../tools/video/time/reverse-video.ts'
import trimVideo from '../../../tools/video/time/trim-video.ts'
import videoSpeed from '../../../tools/video/time/video-speed.ts'
import { infoOf, makeAudio, makeVideo, pictureHash, sharedMedia } from '../../helpers/av.ts'
import { run, temporaryFolder } from '../../helpers/tool.ts'

const folder = temporaryFolder()
const SMALL = { width: 64, height: 48, audio: true }

function textFile(name: string, text: string): string {
  const path = join(folder, name)
  writeFileSync(path, text)
  return path
}

const nameOf = (path: string): string => basename(path, '.mp4')

/** The chapters of a file as `from-to title`, to a tenth of a second. */
async function chaptersOf(path: string): Promise<string[]> {
  const { chapterList = [] } = await infoOf(path)
  return chapterList.map(({ startS, endS, title }) => `${startS.toFixed(1)}-${endS?.toFixed(1)} ${title}`)
}

/** Three seconds with the chapters One and Two, the second from 1.2 s. */
const withChapters = (extension: string): Promise<string> =>
  sharedMedia(['two chapters', extension], `two.${extension}`, async (path) => {
    const isAudio = extension === 'm4a'
    const source = isAudio
      ? await makeAudio({ seconds: 3, extension })
      : await makeVideo({ seconds: 3, ...SMALL, extension })
    const list = textFile(
      `two-${extension}.txt`,
      ';FFMETADATA1\n[CHAPTER]\nTIMEBASE=1/10\nSTART=0\nEND=12\ntitle=One\n[CHAPTER]\nTIMEBASE=1/10\nSTART=12\nEND=30\ntitle=Two\n',
    )
    await runFfmpeg(['-i', source, '-i', list, '-map', '0', '-map_chapters', '1', '-c', 'copy', path])
  })

describe('written', () => {
  test.each(['mp4', 'mov', 'mkv', 'webm'])('into %s, from a list', async (extension) => {
    const source = await makeVideo({ seconds: 3, ...SMALL, extension })
    const list = textFile(
      `list-${extension}.txt`,
      '0:00 Intro = start; #1\n\n- [00:01.5] – Größe 漢字\n(0:00:02) End\n',
    )
    const { paths, report, warnings } = await run(addChapters, folder, [source], {}, { secondary: { list } })
    expect(warnings).toEqual([])
    expect(await chaptersOf(paths[0]!)).toEqual([
      '0.0-1.5 Intro = start; #1',
      '1.5-2.0 Größe 漢字',
      expect.stringMatching(/^2\.0-3\.\d End$/),
    ])
    expect(await pictureHash(paths[0]!)).toBe(await pictureHash(source))
    expect((report.chapters as unknown[])[1]).toEqual({ startS: 1.5, endS: 2, title: 'Größe 漢字' })
  })

  test('at scene changes, which replace others', async () => {
    const source = await sharedMedia(['two scenes'], 'two-scenes.mp4', async (path) => {
      const scenes = ['testsrc2=s=64x48:r=25:d=2', 'color=red:s=64x48:r=25:d=2'].flatMap((one) => [
        '-f',
        'lavfi',
        '-i',
        one,
      ])
      const joined = ['-filter_complex', '[0]setsar=1[a];[1]setsar=1[b];[a][b]concat=n=2:v=1,format=yuv420p']
      await runFfmpeg([...scenes, ...joined, '-c:v', 'libx264', '-preset', 'ultrafast', path])
    })
    const { paths } = await run(addChapters, folder, [source], { minSceneS: 1 })
    expect(await chaptersOf(paths[0]!)).toEqual(['0.0-2.0 Scene 1', '2.0-4.0 Scene 2'])
    const again = await run(
      addChapters,
      folder,
      [paths[0]!],
      {},
      { secondary: { list: textFile('one.txt', '0:00 All') } },
    )
    expect(await chaptersOf(again.paths[0]!)).toEqual(['0.0-4.0 All'])
    expect(again.warnings).toEqual([expect.stringContaining('replaced')])
  })

  test('lines without a time and late ones are reported; a list without any is refused', async () => {
    const source = await makeVideo({ seconds: 2, ...SMALL })
    const list = textFile('some.txt', 'Chapters:\n0:00 A\n0:01 B\n9:59 Z\n')
    const { paths, warnings } = await run(addChapters, folder, [source], {}, { secondary: { list } })
    expect(await chaptersOf(paths[0]!)).toEqual(['0.0-1.0 A', '1.0-2.0 B'])
    expect(warnings).toEqual([
      '1 line of some.txt without a time is left out',
      '1 chapter of some.txt starts after the end of the video',
    ])
    for (const [text, code] of [
      ['only words', 'INVALID_FILE'],
      ['9:00 late', 'INVALID_SETTINGS'],
    ] as const)
      await expect(
        run(addChapters, folder, [source], {}, { secondary: { list: textFile(`${code}.txt`, text) } }),
      ).rejects.toMatchObject({ code })
    const avi = await makeVideo({ seconds: 1, ...SMALL, extension: 'avi' })
    await expect(run(addChapters, folder, [avi])).rejects.toMatchObject({ message: 'AVI holds no chapters' })
  })

  test('of chapters with the same time the first is written; a title may have any separators', async () => {
    const source = await makeVideo({ seconds: 2, ...SMALL })
    const list = textFile('same.txt', `0:00 A\n0:01 B\n0:01 C\n0:00:01.5${' -'.repeat(200_000)}\u2028D\u2028E`)
    const { paths, warnings } = await run(addChapters, folder, [source], {}, { secondary: { list } })
    expect(await chaptersOf(paths[0]!)).toEqual(['0.0-1.0 A', '1.0-1.5 B', '1.5-2.0 D\u2028E'])
    expect(warnings).toEqual(['1 chapter of same.txt starts with another one and is left out'])
  })
})

describe('kept at their moments', () => {
  test.each(['mp4', 'mkv'])('speed and direction of %s', async (extension) => {
    const source = await withChapters(extension)
    const fast = await run(videoSpeed, folder, [source], { factor: 2 })
    expect([await chaptersOf(fast.paths[0]!), fast.warnings]).toEqual([['0.0-0.6 One', '0.6-1.5 Two'], []])
    const reversed = await run(reverseVideo, folder, [source])
    expect([await chaptersOf(reversed.paths[0]!), reversed.warnings]).toEqual([['0.0-1.8 Two', '1.8-3.0 One'], []])
  })

  test('speed and direction of audio', async () => {
    const source = await withChapters('m4a')
    const slow = await run(audioSpeed, folder, [source], { factor: 0.5 })
    expect(await chaptersOf(slow.paths[0]!)).toEqual(['0.0-2.4 One', expect.stringMatching(/^2\.4-6\.\d Two$/)])
    const reversed = await run(reverseAudio, folder, [source])
    expect(await chaptersOf(reversed.paths[0]!)).toEqual([
      expect.stringMatching(/^0\.0-1\.8 Two$/),
      expect.stringMatching(/^1\.8-3\.\d One$/),
    ])
  })

  test('a cut at the edge of a chapter leaves no empty one', async () => {
    const source = await withChapters('mp4')
    for (const settings of [{ precise: true }, { smart: true }]) {
      const { paths } = await run(trimVideo, folder, [source], { startS: 1.2, endS: 2.8, ...settings })
      expect(await chaptersOf(paths[0]!)).toEqual(['0.0-1.6 Two'])
    }
    const { paths } = await run(trimVideo, folder, [source], { startS: 1.5, endS: 3 })
    expect(await chaptersOf(paths[0]!)).toEqual(['0.0-0.2 One', expect.stringMatching(/^0\.2-2\.\d Two$/)])
  })

  test('joined videos keep theirs, or get one for each file', async () => {
    const [first, second] = [await withChapters('mp4'), await makeVideo({ seconds: 2, ...SMALL })]
    const kept = await run(mergeVideos, folder, [second, first])
    expect(await chaptersOf(kept.paths[0]!)).toEqual([`0.0-2.0 ${nameOf(second)}`, '2.0-3.2 One', '3.2-5.0 Two'])
    const files = await run(mergeVideos, folder, [first, second], { chapters: 'files' })
    const titles = [first, second].map(nameOf)
    expect(await chaptersOf(files.paths[0]!)).toEqual([`0.0-3.0 ${titles[0]}`, `3.0-5.0 ${titles[1]}`])
    const none = await run(mergeVideos, folder, [first, second], { chapters: 'none' })
    expect(await chaptersOf(none.paths[0]!)).toEqual([])
    expect([...kept.warnings, ...files.warnings, ...none.warnings].filter((one) => /chapter/.test(one))).toEqual([])
  })
})

test('video-metadata lists them', async () => {
  const { report } = await run(videoMetadata, folder, [await withChapters('mkv')])
  expect((report.metadata as { chapters: unknown }).chapters).toEqual([
    { startS: 0, endS: 1.2, title: 'One' },
    { startS: 1.2, endS: 3, title: 'Two' },
  ])
})
