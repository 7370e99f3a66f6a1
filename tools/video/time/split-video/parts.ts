import { stat } from 'node:fs/promises'
import { mainVideo } from '../../../../src/engines/ffmpeg/ffprobe.ts'
import { audioCodecFor, videoCodecFor } from '../../../../src/media/av/codecs.ts'
import type { AvPart, AvSource } from '../../../../src/media/av/input/part.ts'
import { runAv } from '../../../../src/media/av/run.ts'
import { smartCut } from '../../../../src/media/av/smart/smart-cut.ts'
import { CHANGED_SETS, changesSets } from '../../../../src/media/av/smart/smart-part.ts'
import { mimeOf } from '../../../../src/media/type.ts'
import type { ProduceContext } from '../../../../src/tool/contract.ts'
import { listed } from '../../../../src/wording.ts'

/** Maximum number of parts that a warning names. */
const MOST_NAMES = 4

/** A part of a video, seconds. */
export interface PartSpan {
  startS: number
  endS: number
  title: string | undefined
}

/** A written part. */
export interface PartFile {
  path: string
  name: string
  mime: string
  bytes: number
}

/** The share of the progress that writing is. */
export interface Shares {
  from: number
  to: number
}

/** The part of the command for one span. H.264 and HEVC are copied frame by frame, so that parts do not overlap. */
async function partOf(
  source: AvSource,
  { startS, endS, title }: PartSpan,
  smart: boolean,
  context: Pick<ProduceContext, 'signal' | 'scratch'> & { warn(message: string): void },
): Promise<AvPart> {
  const options = { folder: await context.scratch(), signal: context.signal, progress: () => {} }
  const joined = await smartCut(source, mainVideo(source.info), { startS, endS }, options)
  const tags = title === undefined ? {} : { tags: { title } }
  if (!('reason' in joined)) {
    if (changesSets(source, joined)) context.warn(CHANGED_SETS)
    const range = { startS: joined.startS, endS: joined.endS, exact: false }
    return { ...tags, range, joinedVideo: joined.path }
  }
  if (!smart) return { ...tags, range: { startS, endS, exact: false } }
  context.warn(`encoded as a whole: ${joined.reason}`)
  const encode = { video: videoCodecFor(source.extension), audio: audioCodecFor(source.extension) }
  return { ...tags, range: { startS, endS, exact: true }, encode }
}

/** Writes all parts, one after the other. */
export async function writeParts(
  source: AvSource,
  spans: readonly PartSpan[],
  { extension, smart, shares: { from, to } }: { extension: string; smart: boolean; shares: Shares },
  { signal, output, progress, scratch, warn }: ProduceContext,
): Promise<PartFile[]> {
  const files: PartFile[] = []
  const warnings = new Map<string, string[]>()
  for (const [index, span] of spans.entries()) {
    const name = `part-${String(index + 1).padStart(3, '0')}.${extension}`
    const path = await output(name)
    const collected = (message: string): void => {
      const names = warnings.get(message)
      if (!names) warnings.set(message, [name])
      else if (!names.includes(name)) names.push(name)
    }
    const part = await partOf(source, span, smart, { signal, scratch, warn: collected })
    await runAv(source, [{ changes: ['length'], ...part }], path, { signal, warn: collected })
    files.push({ path, name, mime: mimeOf(extension), bytes: (await stat(path)).size })
    progress(from + (files.length / spans.length) * (to - from), 'cutting')
  }
  for (const [message, names] of warnings)
    warn(names.length === spans.length ? message : `${listed(names, MOST_NAMES)}: ${message}`)
  return files
}
