// The types of settings exist in the build only.
import { run, runPipeline, type ToolId } from '../../dist/src/index.js'

/** Never called: the compiler reads it (`npm run lint`), and an error that is expected and absent is one. */
export async function checkedByTheCompiler(id: string, known: ToolId): Promise<void> {
  await run('image/resize', 'a.jpg', { width: 800, fit: 'cover' })
  await run('image/info', 'a.jpg')
  await run('image/info', 'a.jpg', {}, { outputDir: 'out' })
  await run('video/trim-video', 'a.mp4', { startS: '1:30', endS: 100 })
  await run('image/edit-metadata/inspect', 'a.jpg')
  await run(id, 'a.jpg', { anything: 1 })
  await run(known, 'a.jpg')
  const path: string | undefined = (await run('image/info', 'a.jpg')).outputs[0]?.path
  const data: Buffer | undefined = (await run('image/info', Buffer.from(path ?? ''))).outputs[0]?.data
  const blob: Blob | undefined = (await run('image/info', 'a.jpg', {}, { as: 'blob' })).outputs[0]?.data
  const { outputs } = await runPipeline([{ 'image/resize': { width: 5 } }], blob ?? data ?? new URL('file:///a.jpg'))
  for (const output of outputs)
    ('path' in output ? output.path : output.data).slice(1)
    // @ts-expect-error: files have no data
  ;(await run('image/info', 'a.jpg')).outputs[0]?.data
  // @ts-expect-error: not a form
  await run('image/info', 'a.jpg', {}, { as: 'text' })
  // @ts-expect-error: not a source
  await run('image/info', 5)
  // @ts-expect-error: no such setting
  await run('image/resize', 'a.jpg', { widht: 800 })
  // @ts-expect-error: not one of the words
  await run('image/resize', 'a.jpg', { fit: 'squeeze' })
  // @ts-expect-error: not a number, nor one with its unit
  await run('image/resize', 'a.jpg', { width: 'wide' })
  // @ts-expect-error: no such tool
  await run('image/resise', 'a.jpg')
  // @ts-expect-error: a setting that is required
  await run('image/barcode-generate', [])
}
