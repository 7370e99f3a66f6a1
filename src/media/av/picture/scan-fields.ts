import { inputArguments, runFfmpeg } from '../../../engines/ffmpeg/ffmpeg.ts'
import type { FieldOrder, Stream } from '../../../engines/ffmpeg/ffprobe.ts'
import type { AvSource } from '../input/part.ts'
import { seconds, USUAL_RATE } from '../range.ts'

/** Frames that are decoded to find the field order: 8 s, less than a second of work at 720 x 576. */
const FRAMES = 200
/** Where a longer video is measured, as a share of its length: titles at the start often do not move. */
const FROM = 0.3
/** Share of combed frames, of those that move, above which a video is interlaced. Telecined film has 0.4. */
const LEAST_COMBED = 0.3
/** Fewer moving frames are no evidence. */
const LEAST_FRAMES = 5
/** The more frequent field order must be this much more frequent than the other. */
const CLEAR = 4

/** Codecs of broadcast, tape and editing, which are often interlaced. */
const INTERLACEABLE =
  /^(mpeg2video|dvvideo|h264|vc1|wmv3|mjpeg|prores|dnxhd|rawvideo|v210|huffyuv|ffvhuff|ffv1|utvideo)$/
/** Formats of broadcast, tape and editing. Files for the web (MP4, WebM) declare interlacing or are progressive. */
const FORMATS = /^(mpeg|mpegts|avi|mov|mxf|matroska|dv|gxf|asf|rawvideo)\b/
/** Active lines of PAL, NTSC and HD, with those of full MPEG-2 macroblocks. */
const LINES = new Set([480, 486, 576, 1080, 1088])
/** Frames per second of PAL and NTSC, and their fields, which some readers count instead. */
const RATES = [25, 30_000 / 1001, 50, 60_000 / 1001]
const SAME_RATE = 0.01

/**
 * Whether a video that is not declared as interlaced should be measured. Only for sizes and rates of television, in
 * codecs and formats of broadcast, tape and editing, without a declared field order. MPEG-2 and DV are measured even when
 * they are declared as progressive: the declaration comes from their first frame, and film material often starts with a
 * progressive one.
 */
export function isSuspicious({ codec, height = 0, frameRate = 0, fieldOrder }: Stream, format: string): boolean {
  const isDeclared = fieldOrder === 'progressive' && !/^(mpeg2video|dvvideo)$/.test(codec)
  if (fieldOrder === 'tff' || fieldOrder === 'bff' || isDeclared) return false
  const isTelevision = LINES.has(height) && RATES.some((rate) => Math.abs(rate - frameRate) < SAME_RATE)
  return isTelevision && INTERLACEABLE.test(codec) && FORMATS.test(format)
}

const scans = new WeakMap<Stream, Promise<FieldOrder | undefined>>()

/**
 * Measures the field order of a video from up to 200 frames with ffmpeg's `idet`; once for each probed file.
 * @returns undefined if it is progressive, or does not move
 */
export function scanFields(source: AvSource, stream: Stream, signal?: AbortSignal): Promise<FieldOrder | undefined> {
  const done = scans.get(stream)
  if (done) return done
  const scan = measure(source, stream, signal)
  scans.set(stream, scan)
  scan.catch(() => scans.delete(stream))
  return scan
}

async function measure(
  { path, info }: AvSource,
  { index, frameRate = USUAL_RATE }: Stream,
  signal?: AbortSignal,
): Promise<FieldOrder | undefined> {
  const { durationS = 0 } = info
  const isLong = durationS * frameRate > 2 * FRAMES
  const text = await runFfmpeg(
    [
      ...[...(isLong ? ['-ss', seconds(durationS * FROM)] : []), ...inputArguments(path), '-map', `0:${index}`],
      ...['-vf', 'idet', '-frames:v', String(FRAMES), '-an', '-sn', '-f', 'null', '-'],
    ],
    { logLevel: 'info', what: 'Measuring the fields', ...(signal && { signal }) },
  )
  const counts = /Multi frame detection: *TFF: *(\d+) *BFF: *(\d+) *Progressive: *(\d+)/g
  const [, top = 0, bottom = 0, progressive = 0] = [...text.matchAll(counts)].at(-1)?.map(Number) ?? []
  const [combed, other] = [Math.max(top, bottom), Math.min(top, bottom)]
  const isCombed = combed >= LEAST_FRAMES && combed >= CLEAR * other
  if (!isCombed || combed / (combed + other + progressive) < LEAST_COMBED) return undefined
  return top > bottom ? 'tff' : 'bff'
}

/** The field order that the decoder reports for the first frame; ffprobe 5.1 reports `tt` for all H.264 in AVI. */
export async function markedOrder(
  { path }: AvSource,
  { index }: Stream,
  signal?: AbortSignal,
): Promise<FieldOrder | undefined> {
  const args = [...inputArguments(path), '-map', `0:${index}`, '-vf', 'showinfo', '-frames:v', '1', '-f', 'null', '-']
  const text = await runFfmpeg(args, { logLevel: 'info', what: 'Reading the field order', ...(signal && { signal }) })
  const [, first] = / i:([TB]) /.exec(text) ?? []
  return first === undefined ? undefined : first === 'T' ? 'tff' : 'bff'
}
