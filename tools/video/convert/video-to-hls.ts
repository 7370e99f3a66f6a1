import { readdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { requireMuxer, runFfmpeg } from '../../../src/engines/ffmpeg/ffmpeg.ts'
import { audioStreams, type MediaInfo, mainVideo } from '../../../src/engines/ffmpeg/ffprobe.ts'
import { MediaprocError } from '../../../src/errors.ts'
import { videoCodecFor } from '../../../src/media/av/codecs.ts'
import { sourceInput } from '../../../src/media/av/input/source-input.ts'
import { languageTag } from '../../../src/media/av/labels/languages.ts'
import { chooseTracks, withTracks } from '../../../src/media/av/labels/track-choice.ts'
import { isHdr } from '../../../src/media/av/picture/hdr.ts'
import { preparePicture } from '../../../src/media/av/picture/study.ts'
import { lossSentences, withoutHdr } from '../../../src/media/av/verify/sentences.ts'
import { printableName } from '../../../src/media/file.ts'
import { setName } from '../../../src/media/naming.ts'
import { mimeOf } from '../../../src/media/type.ts'
import { avTool } from '../../../src/tool/av-tool.ts'
import { choice, integer, text } from '../../../src/tool/settings.ts'
import { constantRate, toConstant } from '../_shared/frame-rate.ts'
import { shownSize, squarePixels } from '../_shared/square-pixels.ts'
import { tracksSetting } from '../_shared/track-settings.ts'
import { encodeArguments } from './video-to-hls/encode-arguments.ts'
import { ladderOf, parseSides } from './video-to-hls/ladder.ts'
import { masterPlaylist, measureAll } from './video-to-hls/playlists.ts'

const CRF = { high: 20, balanced: 23, small: 27 } as const
/** A result whose length differs from the video's by more than this and this part is incomplete. */
const SHORT_S = 1
const SHORT_PART = 0.02

export default avTool({
  section: 'video',
  id: 'video-to-hls',
  summary: 'Make an adaptive stream of a video: HLS and DASH in several resolutions, for a web server',
  async: true,
  settings: {
    resolutions: text('heights of the renditions, in lines; larger ones than the video become its own', {
      ...{ default: '1080,720,480,360', listed: true, maxLength: 100 },
    }),
    segmentS: integer('length of the segments, which begin with key frames', {
      ...{ default: 4, min: 1, max: 10, unit: 's' },
    }),
    quality: choice(['high', 'balanced', 'small'], 'high keeps the most detail, small gives the lowest bit rates', {
      short: 'Q',
      default: 'balanced',
    }),
    audioTracks: tracksSetting('audio tracks to offer'),
  },
  output: { kind: 'files', type: { oneOf: ['m3u8', 'mpd', 'mp4', 'm4s'] }, set: '{stem}_hls' },
  batch: true,
  examples: [{ title: 'two resolutions', settings: { resolutions: '240,144', segmentS: 1 } }],
  check: ({ resolutions }) => void parseSides(resolutions),
  async produce([given], { resolutions, segmentS, quality, audioTracks }, context) {
    await requireMuxer('dash')
    const audio = chooseTracks(given, 'audio', audioTracks)
    const source = withTracks(given, audio ? { audio } : {})
    const { info } = source
    const [stream, tracks] = [mainVideo(info), audioStreams(info)]
    const { rate, isConstant } = await constantRate(source, context.signal)
    const ladder = ladderOf(shownSize(source), parseSides(resolutions), rate)
    const options = videoCodecFor('mp4', { quality: CRF[quality] })
    const picture = await preparePicture(source, { choice: { hdr: 'sdr' }, options, filters: [] }, context)
    for (const sentence of leftOut(source.info)) context.warn(sentence)
    if (isHdr(stream)) context.warn(withoutHdr('HLS'))
    if (tracks.some(({ channels = 2 }) => channels > 2)) context.warn('surround sound is mixed down to stereo')
    const folder = dirname(await context.output('master.m3u8'))
    // A segment has the length of its frames: without a frame at its end, all later ones would be shown too early.
    // Players show the last frame until the audio ends.
    const steady = isConstant ? [] : await toConstant(rate, info.durationS, { fromZero: true })
    const filters = [...picture.before, ...squarePixels(source), ...steady]
    await runFfmpeg(
      [
        ...sourceInput(source),
        ...encodeArguments({ stream, tracks, ladder, segmentS, filters, options: picture.options }),
      ],
      {
        ...{ cwd: folder, signal: context.signal, durationS: info.durationS, what: 'Encoding the renditions' },
        onProgress: (fraction) => context.progress(fraction, 'encoding'),
        warn: (message) => context.warn(message),
      },
    )
    const measured = await measureAll(folder, ladder.length + tracks.length)
    const videos = ladder.flatMap((one, at) => (measured[at] ? [{ ...one, ...measured[at] }] : []))
    const audios = tracks.flatMap((track, at) => {
      const one = measured[ladder.length + at]
      return one ? [{ ...one, track }] : []
    })
    for (const { durationS } of videos)
      checkLength(durationS, stream.durationS ?? info.durationS, info.durationS, source.name)
    await writeFile(join(folder, 'master.m3u8'), masterPlaylist(videos, audios, rate))
    const names = (await readdir(folder)).filter((name) => /\.(m3u8|mpd|mp4|m4s)$/.test(name))
    names.sort((one, other) => rankOf(one) - rankOf(other) || one.localeCompare(other))
    return {
      files: names.map((name) => ({ path: join(folder, name), name, mime: mimeOf(name.split('.').at(-1) ?? '') })),
      set: setName(source, 'hls'),
      report: {
        renditions: videos.map(({ name, width, height, codecs, peak, average, segments }) => ({
          ...{ playlist: name, width, height, codecs, bandwidth: peak, averageBandwidth: average, segments },
        })),
        audioTracks: audios.length,
      },
    }
  },
})

/** The file that players open comes first, then the other playlists, then the media. */
const rankOf = (name: string): number => (name === 'master.m3u8' ? 0 : /4s?$/.test(name) ? 2 : 1)

/** What a stream does not hold. */
function leftOut({ streams, chapters }: MediaInfo): string[] {
  const pictures = streams.filter(({ type }) => type === 'video')
  const covers = pictures.filter(({ isAttachedPicture }) => isAttachedPicture).length
  const languages = streams.flatMap(({ type, language }, stream) =>
    type === 'audio' && language !== undefined && languageTag(language) === undefined
      ? [{ kind: 'language', of: 'audio', stream, from: language } as const]
      : [],
  )
  const gone = [
    { of: 'video', from: pictures.length - covers, to: 1 },
    { of: 'cover', from: covers, to: 0 },
    ...(['subtitle', 'attachment'] as const).map((of) => ({
      ...{ of, from: streams.filter(({ type }) => type === of).length, to: 0 },
    })),
  ] as const
  return lossSentences(
    [
      ...gone.flatMap((loss) => (loss.from > loss.to ? [{ kind: 'streams', ...loss } as const] : [])),
      ...(chapters > 0 ? [{ kind: 'chapters', from: chapters, to: 0 } as const] : []),
      ...languages,
    ],
    'hls',
  )
}

/** @param leastS length of the video; it may last up to `mostS`, the length of the file */
function checkLength(durationS: number, leastS: number | undefined, mostS: number | undefined, name: string): void {
  if (leastS === undefined) return
  const longestS = Math.max(leastS, mostS ?? 0)
  const toleranceS = SHORT_S + longestS * SHORT_PART
  if (durationS >= leastS - toleranceS && durationS <= longestS + toleranceS) return
  throw new MediaprocError(
    'PROCESSING_FAILED',
    `The segments last ${durationS.toFixed(1)} s, and ${printableName(name)} ${longestS.toFixed(1)} s`,
  )
}
