import { join } from 'node:path'
import type { AvPart } from '../../../src/media/av/input/part.ts'
import { type InputSpec, type Job, oneFile } from '../../../src/tool/contract.ts'
import { boolean } from '../../../src/tool/settings.ts'

/** The picture file that tools which write audio accept. */
export const COVER_FILE = {
  secondary: { cover: { required: false, what: 'the cover picture; it replaces all others', accept: ['image'] } },
} as const satisfies Partial<InputSpec>

/** One audio file, and a cover picture. */
export const WITH_COVER = { ...oneFile('audio'), ...COVER_FILE }

export const COVER_SETTINGS = {
  keepCover: boolean('keep cover pictures, if the format supports them', { default: true }),
}

/** The cover of the output: the given picture, none, or those of the source. */
export async function coverPart(
  { keepCover }: { keepCover: boolean },
  { secondary, scratch, warn }: Pick<Job, 'secondary' | 'scratch' | 'warn'>,
): Promise<Pick<AvPart, 'cover'>> {
  const { cover } = secondary
  if (!cover) return keepCover ? {} : { cover: 'drop' }
  const { coverFile } = await import('./cover-file.ts')
  return { cover: { path: await coverFile(cover, join(await scratch(), 'cover'), warn) } }
}
