import { request } from '../api/call.ts'
import { kindOf } from '../files/kind.ts'

/** An address of the picture in memory; of a preview from the server if browsers cannot show its type. */
export async function previewOf(file: File): Promise<string> {
  if (kindOf(file.name) === 'image') return URL.createObjectURL(file)
  const body = new FormData()
  body.append('file', file, file.name)
  const answer = await request('api/v1/preview', { method: 'POST', body })
  return URL.createObjectURL(await answer.blob())
}
