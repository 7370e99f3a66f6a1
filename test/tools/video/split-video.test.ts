import { writeFileSync } from 'node:fs'
import sharp from 'sharp'
import { describe, expect, test } from 'vitest'
import { abilities, runFfmpeg } from '../../../src/engines/ffmpeg/ffmpeg.ts'
import { audioStreams } from '../../../src/engines/ffmpeg/ffprobe.ts'
import splitVideo from '../../../tools/video/time/split-video.ts'
import trimVideo from '../../../tools/video/time/trim-video.ts'
import { distance, frameTimes, grayFrames, infoOf, makeVideo, sharedMedia, temporaryPath } from '../../helpers/av.ts'
import { run, temporaryFolder } from '../../helpers/tool.ts'

const folder = temporaryFolder()

/** Three scenes of 2, 1.6 and 2.4 s with a tone; a key frame each second, but none at the changes. */
const film = (extension: string): Promise<string> =>
  sharedMedia(['three scenes', extension], `scenes.${extension}`, async (path) => {
    const scenes = [
      'testsrc2=s=96x64:r=25:d=2',
      'color=red:s=96x64:r=25:d=1.6,noise=alls=10',
      'smptebars=s=96x64:r=25:d=2.4',
    ]
    const inputs = [...scenes, 'sine=d=6:r=48000'].flatMap((graph) => ['-f', 'lavfi', '-i', graph])
    const joined = '[0]setsar=1[a];[1]setsar=1[b];[2]setsar=1[c];[a][b][c]concat=n=3:v=1,format=yuv420p[v]'
    const codec = [
      '-c:v',
      'libx264',
      '-preset',
      'veryfast',
      '-g',
      '25',
      '-sc_threshold',
      '0',
      '-bf',
      '2',
      '-c:a',
      'aac',
    ]
    await runFfmpeg([...inputs, '-filter_complex', joined, '-map', '[v]', '-map', '3:a', ...codec, path])
  })

type Parts = { name: string; startS: number; endS: number; title?: string }[]
const partsOf = ({ report }: { report: Record<string, unknown> }): Parts => report.parts as Parts

/** Whether the tests run with the ffmpeg of 2018 that npm brings. */
const isOldBuild = async (): Promise<boolean> => ((await abilities()).year ?? 2026) < 2020
const ENCODED = 'encoded as a whole: the installed ffmpeg of 2018 would shift the audio of TS files'

/** Checks that parts hold all frames of their source, once and in order. */
async function expectWhole(paths: readonly string[], source: string): Promise<number[]> {
  const all = await grayFrames(source)
  const parts = await Promise.all(paths.map(grayFrames))
  const joined = parts.flat()
  expect(joined).toHaveLength(all.length)
  // The build of 2018 encodes transport streams as a whole.
  const isEncoded = source.endsWith('.ts') && (await isOldBuild())
  const most = isEncoded ? 2.5 : 2
  for (const [index, frame] of joined.entries()) expect(distance(frame, all[index]!)).toBeLessThan(most)
  return parts.map(({ length }) => length)
}

describe('by scenes', () => {
  test('copied from the nearest key frames', async () => {
    const source = await film('mp4')
    const outcome = await run(splitVideo, folder, [source])
    // The change at 3.6 s moves to 4 s.
    expect(partsOf(outcome).map(({ startS }) => startS)).toEqual([0, 2, 4])
    expect(outcome.warnings).toEqual([expect.stringContaining('up to 0.40 s')])
    expect(await expectWhole(outcome.paths, source)).toEqual([50, 50, 50])
    expect(outcome.names).toEqual(['part-001.mp4', 'part-002.mp4', 'part-003.mp4'])
  })

  test('exactly, with smart', async () => {
    const source = await film('mp4')
    const outcome = await run(splitVideo, folder, [source], { smart: true })
    expect(partsOf(outcome).map(({ startS }) => startS)).toEqual([0, 2, 3.6])
    expect(outcome.warnings).toEqual([])
    expect(await expectWhole(outcome.paths, source)).toEqual([50, 40, 60])
  })

  test('as pictures from the middle of each', async () => {
    const outcome = await run(splitVideo, folder, [await film('mkv')], { results: 'thumbnails' })
    expect(outcome.names).toEqual(['part-001.jpg', 'part-002.jpg', 'part-003.jpg'])
    const { channels } = await sharp(outcome.paths[1]!).stats()
    expect(channels[0]!.mean).toBeGreaterThan(200)
    expect(channels[1]!.mean).toBeLessThan(60)
    expect(partsOf(outcome)[1]).toMatchObject({ startS: expect.closeTo(2, 1), endS: expect.closeTo(3.6, 1) })
  })

  test('short scenes belong to the one before; without a change there is one part', async () => {
    expect(partsOf(await run(splitVideo, folder, [await film('mp4')], { minSceneS: 2, smart: true }))).toHaveLength(
      3 - 1,
    )
    const { names, warnings } = await run(splitVideo, folder, [await makeVideo({ seconds: 2 })])
    expect(names).toEqual(['part-001.mp4'])
    expect(warnings).toEqual([expect.stringContaining('no scene change')])
  })
})

test('by length: no part is longer', async () => {
  const source = await film('mov')
  const outcome = await run(splitVideo, folder, [source], { by: 'length', partS: 2.5 })
  expect(partsOf(outcome).map(({ startS }) => startS)).toEqual([0, 2, 4])
  await expectWhole(outcome.paths, source)
})

test('by size: each part is below the limit', async () => {
  const source = await sharedMedia(['noise'], 'noise.mp4', async (path) => {
    const codec = ['-c:v', 'libx264', '-preset', 'ultrafast', '-b:v', '6M', '-g', '12', '-pix_fmt', 'yuv420p']
    await runFfmpeg(['-f', 'lavfi', '-i', 'nullsrc=s=160x120:r=25:d=4,geq=random(1)*255:128:128', ...codec, path])
  })
  const { sizeBytes } = await infoOf(source)
  expect(sizeBytes).toBeGreaterThan(1.2e6)
  const { paths, warnings } = await run(splitVideo, folder, [source], { by: 'size', maxMb: 1 })
  expect(warnings).toEqual([])
  for (const path of paths) expect((await infoOf(path)).sizeBytes).toBeLessThanOrEqual(1e6)
  expect(paths.length).toBeLessThanOrEqual(Math.ceil(sizeBytes / 0.8e6))
  await expectWhole(paths, source)
})

test('by chapters, with their titles; refused without chapters', async () => {
  const list = temporaryPath('chapters.txt')
  const chapter = (startS: number, endS: number, title: string) =>
    `[CHAPTER]\nTIMEBASE=1/1000\nSTART=${startS * 1000}\nEND=${endS * 1000}\ntitle=${title}\n`
  writeFileSync(list, `;FFMETADATA1\n${chapter(0, 3.2, 'Intro')}${chapter(3.2, 6, 'Main')}`)
  const source = temporaryPath('chapters.mp4')
  await runFfmpeg(['-i', await film('mp4'), '-i', list, '-map', '0', '-map_chapters', '1', '-c', 'copy', source])
  const outcome = await run(splitVideo, folder, [source], { by: 'chapters', smart: true })
  expect(partsOf(outcome).map(({ startS, title }) => [startS, title])).toEqual([
    [0, 'Intro'],
    [3.2, 'Main'],
  ])
  const infos = await Promise.all(outcome.paths.map(infoOf))
  expect(infos.map(({ tags }) => tags.title)).toEqual(['Intro', 'Main'])
  expect(infos.map(({ chapterList }) => chapterList?.map(({ title }) => title))).toEqual([['Intro'], ['Main']])
  expect((await frameTimes(outcome.paths[1]!)).length).toBe(70)
  await expect(run(splitVideo, folder, [await film('mp4')], { by: 'chapters' })).rejects.toMatchObject({
    code: 'INVALID_SETTINGS',
    message: expect.stringContaining('no chapters'),
  })
})

test('HEVC in MP4: changed parameter sets are a warning', async () => {
  const source = await sharedMedia(['hevc parts'], 'hevc.mp4', async (path) => {
    const codec = ['-c:v', 'libx265', '-preset', 'ultrafast', '-x265-params', 'log-level=error:keyint=25:open-gop=0']
    await runFfmpeg(['-f', 'lavfi', '-i', 'testsrc2=s=96x64:r=25:d=4', '-pix_fmt', 'yuv420p', ...codec, path])
  })
  const { warnings, paths } = await run(splitVideo, folder, [source], { by: 'length', partS: 1.5, smart: true })
  expect(warnings).toContainEqual(expect.stringContaining('changes its parameter sets'))
  expect(await expectWhole(paths, source)).toHaveLength(3)
})

test('by chapters: those with the same start have one part, with a warning', async () => {
  const list = temporaryPath('same.txt')
  const chapter = (start: number, end: number, title: string): string =>
    `[CHAPTER]\nTIMEBASE=1/10\nSTART=${start}\nEND=${end}\ntitle=${title}\n`
  writeFileSync(
    list,
    `;FFMETADATA1\n${chapter(0, 20, 'A')}${chapter(20, 20, 'B')}${chapter(20, 24, 'C')}${chapter(24, 60, 'D')}`,
  )
  const source = temporaryPath('same.mp4')
  await runFfmpeg(['-i', await film('mp4'), '-i', list, '-map', '0', '-map_chapters', '1', '-c', 'copy', source])
  const exact = await run(splitVideo, folder, [source], { by: 'chapters', smart: true })
  expect(partsOf(exact).map(({ title }) => title)).toEqual(['A', 'B', 'D'])
  expect(exact.warnings).toContain('1 chapter starts with another one and has no part')
  // The key frame at 2 s is the nearest of both.
  const copied = await run(splitVideo, folder, [source], { by: 'chapters' })
  expect(partsOf(copied).map(({ title }) => title)).toEqual(['A', 'B'])
  expect(copied.warnings).toContainEqual(expect.stringMatching(/^1 part is joined with another one/))
})

test('other codecs are copied at key frames', async () => {
  const source = await makeVideo({ seconds: 3, extension: 'webm', audio: true })
  const { paths } = await run(splitVideo, folder, [source], { by: 'length', partS: 1 })
  await expectWhole(paths, source)
})

/** 6 s of video with a first audio track that ends after 2 s, and a second one that does not. */
const shortAudio = (extension: string): Promise<string> =>
  sharedMedia(['audio ends early', extension], `ends-early.${extension}`, async (path) => {
    const inputs = ['testsrc2=s=96x64:r=25:d=6', 'sine=d=2:r=48000', 'sine=880:d=6:r=48000']
    await runFfmpeg([
      ...inputs.flatMap((graph) => ['-f', 'lavfi', '-i', graph]),
      ...['-map', '0', '-map', '1', '-map', '2', '-metadata:s:a:0', 'language=eng', '-metadata:s:a:1', 'language=deu'],
      ...['-c:v', 'libx264', '-preset', 'ultrafast', '-g', '25', '-c:a', 'aac', path],
    ])
  })

const languagesOf = async (path: string): Promise<(string | undefined)[]> =>
  (await infoOf(path)).streams.filter(({ type }) => type === 'audio').map(({ language }) => language)

test.each(['mp4', 'mkv', 'ts'])('%s: an audio track without audio in a part is left out of it', async (extension) => {
  const source = await shortAudio(extension)
  const outcome = await run(splitVideo, folder, [source], { by: 'length', partS: 3, smart: true })
  expect(outcome.names).toEqual([`part-001.${extension}`, `part-002.${extension}`])
  const encoded = extension === 'ts' && (await isOldBuild()) ? [ENCODED] : []
  const leftOut = `part-002.${extension}: audio track 1 is left out: it has no audio at these times`
  expect(outcome.warnings).toEqual([...encoded, leftOut])
  expect(await Promise.all(outcome.paths.map(languagesOf))).toEqual([['eng', 'deu'], ['deu']])
  for (const settings of [{}, { precise: true }]) {
    const clip = await run(trimVideo, folder, [source], { startS: 3.5, endS: 4.5, ...settings })
    expect(clip.warnings).toContain('audio track 1 is left out: it has no audio at these times')
    expect(await languagesOf(clip.paths[0] ?? '')).toEqual(['deu'])
  }
  expect(await expectWhole(outcome.paths, source)).toEqual([75, 75])
})

test.each(['mp4', 'mkv', 'ts'])('%s: an audio track with a gap is left out of a part in the gap', async (extension) => {
  const source = await sharedMedia(['audio with a gap', extension], `gap.${extension}`, async (path) => {
    const gap = "sine=d=60:r=48000,aselect='lt(t,1)+gte(t,58)'"
    const inputs = ['testsrc2=s=96x64:r=25:d=60', gap, 'sine=d=60:r=48000'].flatMap((one) => ['-f', 'lavfi', '-i', one])
    const codecs = ['-c:v', 'libx264', '-preset', 'ultrafast', '-g', '25', '-c:a', 'aac']
    await runFfmpeg([...inputs, '-map', '0', '-map', '1', '-map', '2', ...codecs, path])
  })
  const clip = await run(trimVideo, folder, [source], { startS: 20, endS: 40 })
  expect(clip.warnings).toContain('audio track 1 is left out: it has no audio at these times')
  const info = await infoOf(clip.paths[0] ?? '')
  expect(audioStreams(info)).toHaveLength(1)
  expect(info.durationS).toBeLessThan(22)
})

test('TS: audio after the last picture stays in the last part, and a clip of it alone is refused', async () => {
  const source = await sharedMedia(['audio continues'], 'continues.ts', async (path) => {
    const inputs = ['testsrc2=s=96x64:r=25:d=2', 'sine=d=5:r=48000'].flatMap((graph) => ['-f', 'lavfi', '-i', graph])
    await runFfmpeg([...inputs, '-c:v', 'libx264', '-preset', 'ultrafast', '-g', '25', '-c:a', 'aac', path])
  })
  const outcome = await run(splitVideo, folder, [source], { by: 'length', partS: 1, smart: true })
  expect(await expectWhole(outcome.paths, source)).toEqual([25, 25])
  const continues = expect.stringMatching(/last part.*audio continues after the last picture/)
  expect(outcome.warnings).toEqual([...((await isOldBuild()) ? [ENCODED] : []), continues])
  await expect(run(trimVideo, folder, [source], { startS: 3, endS: 4, precise: true })).rejects.toMatchObject({
    code: 'INVALID_SETTINGS',
    message: expect.stringContaining('no picture between 3 s and 4 s'),
  })
})
