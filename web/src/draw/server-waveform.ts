/** The waveform of a file that the browser does not decode, as a picture of the server. */
import { request } from '../api/call.ts'
import { askOnce } from '../run/ephemeral.ts'
import { downloadsOf } from '../run/result-files.ts'

/** Larger files are not sent only for a picture: bytes. */
const MOST_BYTES = 200_000_000
const SETTINGS = { width: 2000, height: 200, color: '#5b72dd' }

/** An address of the picture in memory; undefined for large files and while the server has no answer. */
export async function waveformByServer(file: File, stop: AbortSignal): Promise<string | undefined> {
  if (file.size > MOST_BYTES) return undefined
  const asked = { path: 'api/v1/tools/audio/waveform-image', file, settings: SETTINGS }
  // A timeline without a picture works as well.
  return askOnce(asked, stop, async (answer) => {
    const [made] = downloadsOf(answer)
    return made && URL.createObjectURL(await (await request(made.url)).blob())
  }).catch(() => undefined)
}
