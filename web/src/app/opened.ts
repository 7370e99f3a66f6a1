/** The console of `mediaproc open`: it takes the files that it was started with, and the server counts its pages. */
import { addressOf, call, request, sentenceOf } from '../api/call.ts'
import type { GetOpenedFiles } from '../api/types.ts'
import { addFiles } from '../files/work-files.ts'
import { STRINGS } from '../strings.ts'
import { announcement } from './announce.ts'
import { notice } from './notice.ts'

const { uploads } = STRINGS

/** The stream ends with the page. */
function stay(): void {
  const source = new EventSource(addressOf('api/v1/presence'))
  source.addEventListener('open', () => {
    notice.value = ''
  })
  source.addEventListener('error', () => {
    notice.value = uploads.ended
    announcement.value = uploads.ended
  })
}

export async function takeOpenedFiles(): Promise<void> {
  stay()
  const { files } = await call<GetOpenedFiles>('api/v1/opened-files')
  for (const { id, name, mime } of files) {
    try {
      const blob = await (await request(`api/v1/opened-files/${id}`)).blob()
      addFiles([new File([blob], name, { type: mime })])
    } catch (error) {
      notice.value = uploads.notOpened(name, sentenceOf(error))
    }
  }
}
