import { inputArguments, runFfmpeg } from '../../../engines/ffmpeg/ffmpeg.ts'
import { clockSeconds } from '../../../engines/ffmpeg/progress.ts'

/**
 * Measures the duration in seconds by reading the whole file without decoding; undefined when it cannot be determined.
 */
export async function measureDuration(path: string, signal?: AbortSignal): Promise<number | undefined> {
  const args = [...inputArguments(path), '-map', '0:v?', '-map', '0:a?', '-c', 'copy', '-f', 'null', '-']
  const said = await runFfmpeg(args, { logLevel: 'info', ...(signal && { signal }) })
  return clockSeconds([...said.matchAll(/time=(\d+:\d+:[\d.]+)/g)].at(-1)?.[1] ?? '')
}
