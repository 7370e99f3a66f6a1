import { probeMedia } from '../../engines/ffmpeg/ffprobe.ts'
import { run } from '../../library/run.ts'
import { openMediaFile } from '../../media/file.ts'

/** Tools that report the facts of a file, by its group. */
const INSPECTORS: Readonly<Record<string, string>> = { image: 'image/info', pdf: 'pdf/pdf-to-image/info' }

/** The type of a file, and what its group has: dimensions, duration, streams, pages. @throws MediaprocError */
export async function factsOf(path: string, signal: AbortSignal): Promise<Record<string, unknown>> {
  const { name, bytes, type } = await openMediaFile(path)
  const known = { name, bytes, type: type.id, group: type.group, mimeType: type.mime }
  const tool = INSPECTORS[type.group]
  if (tool !== undefined) return { ...known, facts: (await run(tool, path, {}, { signal })).report }
  if (type.group !== 'video' && type.group !== 'audio') return known
  return { ...known, facts: { ...(await probeMedia(path)) } }
}
