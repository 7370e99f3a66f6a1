import { stat } from 'node:fs/promises'
import { inputArguments, runFfmpeg } from '../../../../src/engines/ffmpeg/ffmpeg.ts'
import { mainVideo } from '../../../../src/engines/ffmpeg/ffprobe.ts'
import type { AvSource } from '../../../../src/media/av/input/part.ts'
import { isHdr, toneMap } from '../../../../src/media/av/picture/hdr.ts'
import { seconds } from '../../../../src/media/av/range.ts'
import { mimeOf } from '../../../../src/media/type.ts'
import type { ProduceContext } from '../../../../src/tool/contract.ts'
import type { PartFile, PartSpan, Shares } from './parts.ts'

/** Writes a picture from the middle of each part. */
export async function writeThumbnails(
  source: AvSource,
  spans: readonly PartSpan[],
  { from, to }: Shares,
  { signal, output, progress }: ProduceContext,
): Promise<PartFile[]> {
  const stream = mainVideo(source.info)
  const files: PartFile[] = []
  const filters = ["scale='iw*if(gt(sar,0),sar,1)':ih", 'setsar=1', ...(isHdr(stream) ? toneMap(stream) : [])]
  for (const [index, { startS, endS }] of spans.entries()) {
    const name = `part-${String(index + 1).padStart(3, '0')}.jpg`
    const path = await output(name)
    for (const timeS of [(startS + endS) / 2, startS]) {
      const picture = ['-map', `0:${stream.index}`, '-vf', filters.join(','), '-frames:v', '1', '-q:v', '2']
      const args = ['-ss', seconds(timeS), ...inputArguments(source.path), ...picture]
      await runFfmpeg([...args, '-f', 'image2', '-update', '1', `file:${path}`], { signal, what: 'Writing a picture' })
      // The last frame may start before the middle of the last part.
      if (await stat(path).catch(() => undefined)) break
    }
    files.push({ path, name, mime: mimeOf('jpg'), bytes: (await stat(path)).size })
    progress(from + (files.length / spans.length) * (to - from), 'pictures')
  }
  return files
}
