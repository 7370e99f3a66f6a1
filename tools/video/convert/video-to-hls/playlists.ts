import { readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Stream } from '../../../../src/engines/ffmpeg/ffprobe.ts'
import { MediaprocError } from '../../../../src/errors.ts'
import { languageTag, shortLanguage } from '../../../../src/media/av/labels/languages.ts'
import type { Rendition } from './ladder.ts'

/** A media playlist as it was written, bits per second. */
export interface Measured {
  name: string
  codecs: string
  durationS: number
  segments: number
  /** Of the densest stretch of about one segment (RFC 8216, 4.1: peak segment bit rate). */
  peak: number
  average: number
}

interface Segment {
  durationS: number
  bits: number
}

/** The highest bit rate of neighbouring segments that together last half to one and a half target durations. */
export function peakRate(segments: readonly Segment[], targetS: number): number {
  let peak = 0
  for (let from = 0; from < segments.length; from += 1) {
    let [bits, durationS] = [0, 0]
    for (const segment of segments.slice(from)) {
      bits += segment.bits
      durationS += segment.durationS
      if (durationS > targetS * 1.5 && bits > segment.bits) break
      if (durationS >= targetS / 2 || segments.length === 1) peak = Math.max(peak, bits / durationS)
    }
  }
  return Math.ceil(peak)
}

/** Reads a media playlist of ffmpeg, measures its segments, and writes it as one of a finished video. */
async function measure(folder: string, name: string, codecs: string): Promise<Measured> {
  const text = await readFile(join(folder, name), 'utf8')
  const found = [...text.matchAll(/^#EXTINF:([\d.]+),\n(?:#.*\n)*(\S+)$/gm)]
  const segments = await Promise.all(
    found.map(async ([, durationS, file = '']) => ({
      durationS: Number(durationS),
      bits: 8 * (await stat(join(folder, file))).size,
    })),
  )
  const map = /^#EXT-X-MAP:.*$/m.exec(text)?.[0]
  if (segments.length === 0 || map === undefined)
    throw new MediaprocError('PROCESSING_FAILED', 'ffmpeg wrote no segments', { detail: text.slice(0, 2000) })
  const targetS = Math.max(1, ...segments.map(({ durationS }) => Math.round(durationS)))
  const lines = [
    ...['#EXTM3U', '#EXT-X-VERSION:7', `#EXT-X-TARGETDURATION:${targetS}`, '#EXT-X-MEDIA-SEQUENCE:1'],
    ...['#EXT-X-PLAYLIST-TYPE:VOD', '#EXT-X-INDEPENDENT-SEGMENTS', map],
    ...found.flatMap(([, durationS, file]) => [`#EXTINF:${durationS},`, file]),
    '#EXT-X-ENDLIST',
  ]
  await writeFile(join(folder, name), `${lines.join('\n')}\n`)
  const durationS = segments.reduce((sum, segment) => sum + segment.durationS, 0)
  const average = Math.ceil(segments.reduce((sum, { bits }) => sum + bits, 0) / durationS)
  return { name, codecs, durationS, segments: segments.length, peak: peakRate(segments, targetS), average }
}

/** Measures all renditions, in the order of their streams, and enters their bit rates into the DASH manifest. */
export async function measureAll(folder: string, count: number): Promise<Measured[]> {
  const path = join(folder, 'manifest.mpd')
  let manifest = await readFile(path, 'utf8')
  const all: Measured[] = []
  for (let stream = 0; stream < count; stream += 1) {
    const tag = new RegExp(`<Representation id="${stream}"[^>]*>`).exec(manifest)?.[0] ?? ''
    const measured = await measure(folder, `media_${stream}.m3u8`, /codecs="([^"]+)"/.exec(tag)?.[1] ?? '')
    const rated = tag.replace(/ bandwidth="\d*"/, '').replace(/( codecs="[^"]*")/, `$1 bandwidth="${measured.peak}"`)
    manifest = manifest.replace(tag, rated)
    all.push(measured)
  }
  await writeFile(path, manifest)
  return all
}

/** Text as a quoted string of a playlist, which can hold neither quotes nor line ends. */
const quoted = (text: string): string => `"${text.replace(/["\r\n]/g, ' ')}"`

/** Names of audio tracks, which must differ. */
function namesOf(tracks: readonly Stream[]): string[] {
  const names = tracks.map(
    ({ title, language = '' }, position) => title ?? languageTag(language) ?? `Audio ${position + 1}`,
  )
  return names.map((name, position) => (names.indexOf(name) === position ? name : `${name} ${position + 1}`))
}

/** The master playlist: every size of the video with its measured bit rates, and the audio tracks. */
export function masterPlaylist(
  videos: readonly (Rendition & Measured)[],
  audios: readonly (Measured & { track: Stream })[],
  frameRate: number,
): string {
  const names = namesOf(audios.map(({ track }) => track))
  const preferred = Math.max(
    0,
    audios.findIndex(({ track }) => track.isDefault),
  )
  const [peak, average] = (['peak', 'average'] as const).map((rate) => Math.max(0, ...audios.map((one) => one[rate])))
  const codecs = [...new Set(audios.map((one) => one.codecs))]
  return `${[
    ...['#EXTM3U', '#EXT-X-VERSION:7', '#EXT-X-INDEPENDENT-SEGMENTS'],
    ...audios.map(({ name, track: { language, channels } }, position) =>
      [
        `#EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID="audio",NAME=${quoted(names[position] ?? '')}`,
        ...(language && languageTag(language) ? [`LANGUAGE=${quoted(shortLanguage(language))}`] : []),
        ...[`DEFAULT=${position === preferred ? 'YES' : 'NO'}`, 'AUTOSELECT=YES'],
        ...[`CHANNELS="${Math.min(2, channels ?? 2)}"`, `URI="${name}"`],
      ].join(','),
    ),
    ...videos.flatMap((video) => [
      [
        `#EXT-X-STREAM-INF:BANDWIDTH=${video.peak + (peak ?? 0)},AVERAGE-BANDWIDTH=${video.average + (average ?? 0)}`,
        ...[`CODECS="${[video.codecs, ...codecs].join(',')}"`, `RESOLUTION=${video.width}x${video.height}`],
        `FRAME-RATE=${frameRate.toFixed(3)}`,
        ...(audios.length > 0 ? ['AUDIO="audio"'] : []),
      ].join(','),
      video.name,
    ]),
  ].join('\n')}\n`
}
