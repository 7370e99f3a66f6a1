import { readFile, rm, writeFile } from 'node:fs/promises'
import { inputArguments, runFfmpeg } from '../../../engines/ffmpeg/ffmpeg.ts'
import type { Stream } from '../../../engines/ffmpeg/ffprobe.ts'
import { beginningOf } from '../cut-start.ts'
import type { AvPlan } from '../filters/graph.ts'
import { writeChapters } from '../labels/chapters.ts'
import { writeCoverTags } from '../labels/cover-tags.ts'
import { type Cut, cutsWhileWriting, seconds } from '../range.ts'
import { srtOf } from '../subtitles/cues.ts'
import { cutSubtitles } from '../subtitles/cut.ts'
import { overlaps, parseCues, withoutOverlaps, withText } from '../subtitles/parse.ts'
import { emptyTracks } from './empty-tracks.ts'
import { soundBefore } from './packets.ts'
import type { AvSource } from './part.ts'
import type { CutTexts, Prepared } from './prepared.ts'

/** Cues that started earlier than this before a clip are not searched for, seconds. */
const LONGEST_CUE_S = 60

/** The format used for each codec while it is cut; all other text becomes SubRip. */
const TEXT_FORMATS: Readonly<Record<string, { format: 'srt' | 'vtt' | 'ass'; muxer: string; codec: string }>> = {
  ass: { format: 'ass', muxer: 'ass', codec: 'ass' },
  ssa: { format: 'ass', muxer: 'ass', codec: 'ass' },
  mov_text: { format: 'ass', muxer: 'ass', codec: 'ass' },
  webvtt: { format: 'vtt', muxer: 'webvtt', codec: 'webvtt' },
}
const SUBRIP = { format: 'srt', muxer: 'srt', codec: 'subrip' } as const

/**
 * Looks up the frames at a plan's cut, cuts its subtitles, and writes its covers as tags. Created files use `path` as
 * prefix.
 */
export async function prepare(source: AvSource, plan: AvPlan, path: string, signal?: AbortSignal): Promise<Prepared> {
  const prepared = await prepareCut(source, plan, path, signal)
  const shiftS = (prepared.cut?.startS ?? 0) - (prepared.cut && plan.cut ? plan.cut.startS : 0)
  if (plan.span && plan.audios.length > 0) {
    const span = { startS: plan.span.startS + shiftS, endS: plan.span.endS }
    const empty = await emptyTracks(source, plan.audios, span, signal)
    if (empty.length > 0) prepared.emptyTracks = empty
  }
  const chapters = plan.chaptersAt(shiftS)
  if (chapters) {
    prepared.chapters = `${path}.chapters`
    await writeChapters(prepared.chapters, chapters)
  }
  if (plan.coverTags.length === 0) return prepared
  prepared.coverTags = `${path}.cover`
  await writeCoverTags(source, plan.coverTags, prepared.coverTags, signal)
  return prepared
}

async function prepareCut(source: AvSource, plan: AvPlan, path: string, signal?: AbortSignal): Promise<Prepared> {
  const { cut, soundCut, copies, texts, oneByOne, isJoined } = plan
  // Slightly before the packet, because its timestamp is rounded.
  if (soundCut) {
    const packetS = await soundBefore(source, soundCut.startS, signal)
    return { cut: { ...soundCut, startS: Math.max(0, packetS - 0.001) } }
  }
  if (!cut && oneByOne.length > 0) return withoutOverlapping(source, oneByOne, path, signal)
  if (!cut || cutsWhileWriting(cut, source)) return {}
  const begins =
    cut.startS > 0 && !isJoined
      ? await beginningOf(source, cut.startS, copies.video, signal)
      : { startS: cut.startS, pictureS: undefined }
  const { startS, pictureS } = begins
  // A clip that starts slightly earlier also ends earlier; otherwise it would be up to two frames longer than
  // requested.
  const endS = cut.endS === undefined || copies.video ? cut.endS : cut.endS - (cut.startS - startS)
  const made: Cut = {
    ...{ ...cut, startS, endS },
    ...(copies.video && { seekS: cut.startS }),
    ...(pictureS !== undefined && { pictureS }),
  }
  return { cut: made, ...(texts.length > 0 && { texts: await cutTexts(source, texts, made, path, signal) }) }
}

async function cutTexts(
  source: AvSource,
  texts: readonly Stream[],
  { startS, endS }: Cut,
  path: string,
  signal?: AbortSignal,
): Promise<CutTexts> {
  const fromS = Math.max(0, startS - LONGEST_CUE_S)
  const seek = fromS > 0 ? ['-ss', seconds(fromS)] : []
  const files = texts.map((stream) => ({
    ...(TEXT_FORMATS[stream.codec] ?? SUBRIP),
    ...{ index: stream.index, path: `${path}.${stream.index}.text` },
  }))
  await runFfmpeg(
    [
      ...[...seek, ...(endS === undefined ? [] : ['-to', seconds(endS)]), ...inputArguments(source.path)],
      ...files.flatMap(({ index, codec, muxer, path: to }) => [
        ...['-map', `0:${index}`, '-c:s', codec, '-map_metadata', '-1', '-f', muxer, `file:${to}`],
      ]),
    ],
    { ...(signal && { signal }), what: 'Reading the subtitles' },
  )
  const span = { fromS: startS - fromS, toS: endS === undefined ? undefined : endS - fromS }
  const kept = await Promise.all(
    files.map(async ({ index, path: to, codec, format }) => {
      const text = cutSubtitles(await readFile(to, 'utf8'), format, span)
      if (text === undefined) await rm(to)
      else await writeFile(to, text)
      return text === undefined ? [] : [{ index, path: to, codec }]
    }),
  )
  return kept.flat()
}

/** Converts a stream's overlapping cues to consecutive ones; if none overlap, ffmpeg converts the stream itself. */
async function withoutOverlapping(
  source: AvSource,
  streams: readonly Stream[],
  path: string,
  signal?: AbortSignal,
): Promise<Prepared> {
  const files = streams.map(({ index }) => ({ index, path: `${path}.${index}.text`, codec: SUBRIP.codec }))
  const outputs = files.flatMap(({ index, path: to }) => [
    '-map',
    `0:${index}`,
    '-c:s',
    'subrip',
    '-f',
    'srt',
    `file:${to}`,
  ])
  await runFfmpeg([...inputArguments(source.path), ...outputs], {
    ...(signal && { signal }),
    what: 'Reading the subtitles',
  })
  const tracks = await Promise.all(
    files.map(async (file) => {
      const text = (await readFile(file.path, 'utf8')).replace(/\r\n?/g, '\n')
      return { ...file, cues: withText(parseCues(text, 'srt').cues) }
    }),
  )
  if (!tracks.some(({ cues }) => overlaps(cues))) {
    for (const file of files) await rm(file.path)
    return {}
  }
  const [shown, empty] = [tracks.filter(({ cues }) => cues.length > 0), tracks.filter(({ cues }) => cues.length === 0)]
  for (const { path: to } of empty) await rm(to)
  for (const { path: to, cues } of shown) await writeFile(to, srtOf(withoutOverlaps(cues).cues))
  return { texts: shown.map(({ index, path: to, codec }) => ({ index, path: to, codec })) }
}
