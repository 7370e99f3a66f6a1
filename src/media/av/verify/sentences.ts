import { counted } from '../../../wording.ts'
import { withoutAlpha } from '../filters/alpha.ts'
import type { Loss, StreamKind } from './loss.ts'

/** Maximum number of names in a sentence; beyond it, only their number is given. */
const MOST_NAMES = 8

type Kind = Loss['kind']
/** Builds the sentence for all losses of one kind, or of one kind and stream type. */
type Sentence = (losses: Group, format: string) => string
/** Losses of one kind; never empty. */
type Group = readonly [Loss, ...Loss[]]

const isOrAre = (count: number): string => (count === 1 ? 'is left out' : 'are left out')

/** `audio track`, `subtitle track` */
const NOUNS: Readonly<Record<StreamKind, string>> = {
  video: 'video track',
  audio: 'audio track',
  subtitle: 'subtitle track',
  cover: 'cover picture',
  attachment: 'attached file',
  data: 'data track',
}

function listed(names: readonly (string | number)[]): string {
  const all = [...new Set(names)]
  const more = all.length - MOST_NAMES
  return more > 0 ? `${all.slice(0, MOST_NAMES).join(', ')} and ${more} more` : all.join(', ')
}

const streamsGone: Sentence = ([loss], format) => {
  const { of = 'data', from, to = 0, reason } = loss
  const [before, lost] = [Number(from), Number(from) - Number(to)]
  if (of === 'cover' && to !== 0)
    return `of ${before} pictures only ${to === 1 ? 'the front cover is' : `${to} are`} kept`
  if (of === 'cover' && reason === 'damaged') return 'the cover picture is left out: it is damaged'
  if (of === 'cover') return `the cover picture is left out: ${format} holds none`
  if (reason === 'replaced' && of === 'audio') return `the new audio replaces ${counted(before, NOUNS.audio)}`
  if (of === 'audio' && to === 0) return `the audio is left out: ${format} has none`
  if (of === 'video' || of === 'audio')
    return to === 1
      ? `of ${before} ${NOUNS[of]}s only the first is kept`
      : `of ${before} ${NOUNS[of]}s ${to || 'none'} are kept`
  const reasons: Readonly<Record<string, string>> = {
    replaced: 'the new one takes their place',
    time: 'they cannot follow the change in timing',
    subtitle: `${format} does not hold them`,
    attachment: `${format} holds none`,
    data: 'only tracks that players show or play are kept',
  }
  return `${counted(lost, NOUNS[of])} ${isOrAre(lost)}: ${reasons[reason ?? ''] ?? reasons[of]}`
}

const chaptersGone: Sentence = ([loss], format) => {
  const { from, to = 0, reason } = loss
  const lost = Number(from) - Number(to)
  const why = reason === 'time' ? 'they cannot follow the change in timing' : `${format} has none`
  return `${counted(lost, 'chapter')} ${isOrAre(lost)}: ${why}`
}

/** Applies to several tracks at once. */
const ofTracks =
  (one: string, several: string): Sentence =>
  (losses, format) =>
    `the ${losses.length === 1 ? `${one} of a track is` : `${several} of ${losses.length} tracks are`} left out (${listed(losses.map(({ from }) => from))}): ${format} does not support ${losses.length === 1 ? 'it' : 'them'}`

const rounded = (rate: string | number): string => String(Number(Number(rate).toFixed(3)))

const pixelsLess: Sentence = ([loss]) => {
  const { from, to = '' } = loss
  return isDeeper(String(from), String(to))
    ? 'the picture has more than 8 bits for each colour and is written with 8, which all players show'
    : `the colours of the picture (${from}) are written with less resolution (${to}), which all players show`
}

const isDeeper = (from: string, to: string): boolean =>
  /(9|10|12|14|16|48|64)(le|be)$/.test(from) && !/(9|10|12|14|16)(le|be)$/.test(to)

const SENTENCES: Readonly<Record<Kind, Sentence>> = {
  streams: streamsGone,
  cues: ([loss]) => `of ${loss.from} cues ${loss.to} are in the result`,
  chapters: chaptersGone,
  chapterTitles: ([loss], format) =>
    `the titles of ${loss.from} chapters are left out: ${format} does not support them`,
  language: ofTracks('language', 'languages'),
  title: ofTracks('title', 'titles'),
  role: ofTracks('role', 'roles'),
  default: ([loss]) =>
    `${NOUNS[loss.of ?? 'audio']} ${loss.from} was the one that players choose, and is no longer marked as such`,
  tags: (losses, format) =>
    `${counted(losses.length, 'tag')} ${isOrAre(losses.length)} (${listed(losses.map(({ from }) => from))}): ${format} does not support ${losses.length === 1 ? 'it' : 'them'}`,
  timecode: ([loss], format) =>
    `the timecode ${loss.from} is left out: ${loss.reason === 'joined' ? 'it does not apply to the joined file' : `${format} has none`}`,
  hdr: ([{ reason }], format) =>
    reason === 'joined'
      ? 'HDR is converted to SDR: not all joined videos have it in the same form'
      : withoutHdr(format),
  hdrMetadata: (losses) => `metadata of the picture is left out: ${listed(losses.map(({ from }) => from))}`,
  colour: (losses, format) =>
    `the colour tags are left out (${listed(losses.map(({ from }) => from))}): ${format} does not support them, so that players have to guess`,
  interlaced: () =>
    'the picture is interlaced and is no longer marked as such: players may show combing at moving edges',
  pixels: pixelsLess,
  alpha: (_losses, format) => withoutAlpha(format),
  shape: ([loss]) => `the picture is shown as ${loss.to} and not as ${loss.from}`,
  edge: ([loss]) => `the picture is cut from ${loss.from} to ${loss.to}: the codec only supports even sizes`,
  frameRate: ([loss]) =>
    `the frame rate is ${rounded(loss.to!)} and not ${rounded(loss.from)} per second${because(loss)}`,
  steadyRate: ([loss], format) =>
    `frames are written at a constant ${rounded(loss.to!)} per second: ${format} has no timestamp for each of them`,
  sampleRate: ([loss]) => `the sample rate is ${loss.to} Hz and not ${loss.from} Hz${because(loss)}`,
  sampleBits: ([loss], format) =>
    `samples of ${bits(loss.from)} become samples of ${bits(loss.to!)}: ${format} is written without more`,
  clipping: ([loss]) =>
    `the audio goes up to ${Number(loss.from).toFixed(1)} dB above full scale and is clipped: lower it first with audio/normalize-audio`,
  channels: ([loss]) => `${loss.from} channels are mixed down to ${loss.to}${because(loss)}`,
}

/** The warning for HDR that is tone-mapped. @param format display name of the output format */
export const withoutHdr = (format: string): string => `HDR is converted to SDR: ${format} is written without it`

/** The reason why encoded streams have less. */
const because = ({ reason }: Loss): string =>
  reason === 'joined' ? ': all joined files get the same format' : reason === 'codec' ? ': the codec has no more' : ''

const bits = (text: string | number): string => `${text} bits`

/**
 * Describes the losses as sentences, combining several streams into one.
 * @param extension extension of the output
 */
export function lossSentences(losses: readonly Loss[], extension: string): string[] {
  const groups = new Map<string, Group>()
  for (const loss of losses) {
    const key = loss.kind === 'streams' ? `${loss.kind} ${loss.of}` : loss.kind
    const group = groups.get(key)
    groups.set(key, group ? [...group, loss] : [loss])
  }
  return [...groups.values()].map((group) => SENTENCES[group[0].kind](group, extension.toUpperCase()))
}
