// Properties of video and audio that a tool must preserve, read with ffprobe.
import { bytes, json } from './program.mjs'

/** Tags that containers and muxers write themselves. */
const OWN_TAGS =
  /^(?:major_brand|minor_version|compatible_brands|encoder|handler_name|vendor_id|creation_time|duration|bps|number_of_.*|_statistics.*|encoded_by|timecode|language|title|software|rotate|variant_bitrate|id3v2_priv.*|tsrc|alpha_mode|company_name|product_(?:name|version|uid)|application_platform|(?:generation_)?uid|operational_pattern_ul|(?:material|file)_package_umid|toolkit_version|modification_date)(?:-.*)?$/i

/** Languages with their alternative code in ISO 639-2. */
const TERMS = {
  ger: 'deu',
  fre: 'fra',
  dut: 'nld',
  chi: 'zho',
  cze: 'ces',
  gre: 'ell',
  rum: 'ron',
  slo: 'slk',
  sve: 'swe',
}

const isPicture = (stream) => stream.disposition?.attached_pic === 1
const ofType = (streams, type) => streams.filter((stream) => stream.codec_type === type && !isPicture(stream))
const depthOf = ({ bits_per_raw_sample: raw, bits_per_sample: stored, sample_fmt: format = '' }) =>
  Number(raw) || stored || (/^s16/.test(format) ? 16 : /^s32/.test(format) ? 32 : 0)

const counted = (word) => ({ words: word, lost: (a, b) => a > b })
const setOf = (word) => ({
  words: word,
  lost: (a, b) => {
    const rest = [...(b ?? [])]
    const gone = (a ?? []).filter((one) => {
      const at = rest.indexOf(one)
      if (at >= 0) rest.splice(at, 1)
      return at < 0
    })
    return gone.length > 0 && gone
  },
})
/** A larger value is no loss: a stereo stream from a mono one, a higher sample rate. */
const less = (word) => ({ words: word, lost: (a, b) => a !== undefined && b !== undefined && a > b })
const same = (word) => ({ words: word, lost: (a, b) => a !== undefined && b !== undefined && a !== b })

export const FACTS = [
  { name: 'video streams', ...counted(/video track|picture/i) },
  { name: 'audio streams', ...counted(/audio|sound/i) },
  { name: 'subtitle streams', ...counted(/subtitle/i) },
  { name: 'data streams', ...counted(/data|track|timecode/i) },
  { name: 'attachments', ...counted(/attach/i) },
  { name: 'cover', ...counted(/cover/i) },
  { name: 'chapters', ...counted(/chapter/i) },
  { name: 'languages', ...setOf(/language|track|audio/i) },
  { name: 'titles', ...setOf(/title|tag|track|audio/i) },
  { name: 'dispositions', ...setOf(/default|forced|disposition|track|flag|marked|audio/i) },
  { name: 'picture labels', ...setOf(/language|title|role|default|marked|video track/i) },
  { name: 'subtitle labels', ...setOf(/language|title|role|default|marked|subtitle/i) },
  { name: 'tags', ...setOf(/tag|metadata|title|ReplayGain/i) },
  {
    name: 'size',
    words: /size|scaled|pixels|even/i,
    // Converting to square pixels changes the size to match the shape, in even numbers.
    lost: (a, b) => {
      if (!a || !b) return false
      const [across, down] = [Math.abs(a.width - b.width), Math.abs(a.height - b.height)]
      return Math.max(across, down) > (a.isStretched === b.isStretched ? 0 : 2)
    },
  },
  {
    name: 'upright',
    words: /rotat|turn/i,
    // An upside-down frame is closer to the original when turned back; a quarter turn shows in the size.
    lost: (a, b) => a && b && a.length === b.length && 2 * distance(a, [...b].reverse()) < distance(a, b),
  },
  {
    name: 'frame rate',
    words: /frame rate|fps|frames per second|frames/i,
    // NTSC's 30 (29.97) is 30 with a clock that is 0.1 % slower: one frame in half a minute is repeated.
    lost: (a, b) => a !== undefined && b !== undefined && Math.abs(a / b - 1) > 0.002,
  },
  { name: 'pixel format', ...same(/4:2:0|4:4:4|4:2:2|chroma|bit|colour|transparen|alpha/i) },
  { name: 'colour', ...same(/HDR|dynamic range|colour|range|transfer/i) },
  { name: 'field order', ...same(/interlac|field/i) },
  { name: 'hdr', ...setOf(/HDR|dynamic range|mastering/i) },
  { name: 'channels', ...less(/channel|mono|stereo|surround|mixed/i) },
  { name: 'sample rate', ...less(/Hz|sample rate/i) },
  { name: 'sample depth', words: /bit|float/i, lost: (a, b) => a > 16 && b > 0 && a > b },
  { name: 'timecode', ...same(/timecode|time code/i) },
  {
    name: 'duration',
    words: /long|short|duration|end|length|second|cut|damaged|limit/i,
    lost: (a, b) => a !== undefined && b !== undefined && Math.abs(a - b) > Math.max(0.15, a * 0.01),
  },
]

/** Properties of a media file; undefined if ffprobe cannot open it. */
export async function factsOf(path) {
  const about = await json(
    'ffprobe',
    ...['-v', 'error', '-of', 'json', '-show_streams', '-show_format', '-show_chapters', path],
  )
  if (!about?.streams?.length) return undefined
  const { streams, format, chapters } = about
  const [video] = ofType(streams, 'video')
  const [audio] = ofType(streams, 'audio')
  const [pictures, carried, subtitles] = ['video', 'audio', 'subtitle'].map((type) => ofType(streams, type))
  // MOV and MP4 store chapters as a text track, which is counted as chapters.
  const chapterTracks = /^mov/.test(format.format_name) && chapters?.length > 0 ? 1 : 0
  const tagsOf = (tags) => Object.entries(tags ?? {}).filter(([key, value]) => !OWN_TAGS.test(key) && value !== '')
  const isOgg = /ogg/.test(format.format_name)
  return {
    'video streams': ofType(streams, 'video').length,
    'audio streams': ofType(streams, 'audio').length,
    'subtitle streams': ofType(streams, 'subtitle').length,
    'data streams': Math.max(0, ofType(streams, 'data').length - chapterTracks),
    attachments: ofType(streams, 'attachment').length,
    cover: streams.filter(isPicture).length,
    chapters: chapters?.length ?? 0,
    languages: [...languagesOf(carried), ...(streams.length === 1 ? languagesOf([format]) : [])],
    titles: [...titlesOf(carried), format.tags?.title ?? format.tags?.TITLE].filter(Boolean),
    dispositions: rolesOf(carried),
    'picture labels': [...languagesOf(pictures), ...titlesOf(pictures), ...rolesOf(pictures)],
    'subtitle labels': [...languagesOf(subtitles), ...titlesOf(subtitles), ...rolesOf(subtitles)],
    tags: [...tagsOf(format.tags), ...(isOgg || !format.tags ? streams.flatMap(({ tags }) => tagsOf(tags)) : [])].map(
      ([key]) => key.toLowerCase().replace(/^album_artist$/, 'albumartist'),
    ),
    size: video && shownSize(video),
    upright: video && (await thumbnailOf(path)),
    'frame rate': video && steadyRate(video, Number(format.duration)),
    'pixel format': video?.pix_fmt?.replace(/^yuvj/, 'yuv').replace(/le$|be$/, ''),
    colour: video?.color_transfer && !/unknown/.test(video.color_transfer) ? video.color_transfer : undefined,
    'field order': video?.field_order && video.field_order !== 'unknown' ? video.field_order : undefined,
    hdr: (video?.side_data_list ?? [])
      .map((one) => one.side_data_type)
      .filter((one) => /Mastering|light|DOVI/i.test(one)),
    channels: audio?.channels,
    'sample rate': audio && Number(audio.sample_rate),
    'sample depth': audio && depthOf(audio),
    timecode: streams.some(({ tags }) => tags?.timecode) || format.tags?.timecode ? 'yes' : undefined,
    duration: Number(format.duration) || undefined,
  }
}

/** The size after the rotation and pixel aspect ratio that players apply. */
function shownSize({ width, height, sample_aspect_ratio: shape = '1:1', side_data_list: sideData = [] }) {
  const turn = Number(sideData.find(({ rotation }) => rotation !== undefined)?.rotation ?? 0)
  const stretch = fraction(shape.replace(':', '/')) || 1
  const sides = [Math.round(width * stretch), height]
  const [across, down] = turn % 180 === 0 ? sides : sides.reverse()
  return { width: across, height: down, isStretched: stretch !== 1 }
}

const THUMBNAIL = 8

/** The first frame as displayed, as 8 x 8 grey values. */
async function thumbnailOf(path) {
  const small = ['-frames:v', '1', '-vf', `scale=${THUMBNAIL}:${THUMBNAIL}:flags=area,format=gray`]
  const found = await bytes('ffmpeg', '-v', 'error', '-i', path, ...small, '-f', 'rawvideo', '-')
  return found?.length === THUMBNAIL ** 2 ? [...found] : undefined
}

const distance = (one, other) => one.reduce((sum, value, at) => sum + Math.abs(value - other[at]), 0)

const languagesOf = (streams) =>
  streams
    .flatMap(({ tags }) => (tags?.language && tags.language !== 'und' ? [tags.language] : []))
    .map((code) => TERMS[code] ?? code)

/** MP4 and MOV store a track's title as the name of its handler. */
const titlesOf = (streams) =>
  streams
    .map(({ tags }) => tags?.title ?? (/Handler$/.test(tags?.handler_name) ? undefined : tags?.handler_name))
    .filter(Boolean)

const rolesOf = (streams) =>
  streams.flatMap(({ disposition = {} }) =>
    Object.entries(disposition).flatMap(([name, on]) => (on && name !== 'default' ? [name] : [])),
  )

/** Frames per second; undefined for a variable rate, because the mean describes no frame then. */
function steadyRate({ avg_frame_rate: mean, r_frame_rate: least }, lengthS) {
  const [rate, clock] = [fraction(mean), fraction(least)]
  if (Math.abs(rate / clock - 1) > 0.01) return undefined
  // If a cut starts within a frame, the mean is off by a part of that frame.
  const isOneFrame = Math.abs(rate - clock) * lengthS < 1
  return Math.round((isOneFrame ? clock : rate) * 20) / 20
}

function fraction(text = '0/1') {
  const [a, b] = text.split('/').map(Number)
  return b ? a / b : 0
}
