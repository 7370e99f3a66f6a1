import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { AvPart, AvSource } from '../../../src/media/av/input/part.ts'
import { frontCover, isReadableCover, readCover } from '../../../src/media/av/labels/cover-tags.ts'
import type { StepContext } from '../../../src/tool/contract.ts'
import { coverPart } from '../_shared/cover.ts'

/** The cover of a joined file: the given picture, or the one that all files have. */
export async function joinedCover(
  sources: readonly AvSource[],
  settings: { keepCover: boolean },
  context: Pick<StepContext, 'secondary' | 'scratch' | 'warn' | 'signal'>,
): Promise<Pick<AvPart, 'cover'>> {
  const { cover } = await coverPart(settings, context)
  if (cover) return { cover }
  const own = sources.map((source) => ({
    source,
    stream: frontCover(source.info.streams.filter(isReadableCover)),
  }))
  if (own.every(({ stream }) => stream === undefined)) return { cover: 'drop' }
  const pictures = await Promise.all(
    own.map(async ({ source, stream }) => stream && (await readCover(source, stream, context.signal))),
  )
  const [first] = pictures
  if (!first || !pictures.every((picture) => picture?.equals(first))) {
    context.warn('the files have different cover pictures, which are left out: choose one as cover')
    return { cover: 'drop' }
  }
  const path = join(await context.scratch(), `joined-cover.${own[0]?.stream?.codec === 'mjpeg' ? 'jpg' : 'png'}`)
  await writeFile(path, first)
  return { cover: { path } }
}
